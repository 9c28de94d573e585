/**
 * Failures of the DAP client in the words of the contract.
 */
import type { Errors as Dap } from "@sigtrap/dap"
import { Errors } from "@sigtrap/protocol"
import * as Duration from "effect/Duration"

/** What a request can fail with, for the manager. */
export type Failure =
  | Errors.AdapterError
  | Errors.AdapterCrashed
  | Errors.ProtocolError
  | Errors.RequestTimeout
  | Errors.Unsupported

const longest = 400

/** Translates one failure; `log` gives the adapter's last words. */
export const translate =
  (adapter: string, log: () => string | undefined) =>
  (error: Dap.RequestError): Failure => {
    switch (error._tag) {
      case "RequestFailed":
        return new Errors.AdapterError({
          command: error.command,
          detail:
            error.code === "notStopped"
              ? "it answers that only while the program stands still"
              : error.text.trim().slice(0, longest)
        })
      case "RequestTimedOut":
        return new Errors.RequestTimeout({
          command: error.command,
          after_ms: Math.round(Duration.toMillis(error.after))
        })
      case "RequestUnsupported":
        return new Errors.Unsupported({ what: error.command, by: adapter, remedy: "sigtrap status" })
      case "BodyInvalid":
        return new Errors.ProtocolError({ detail: error.message.slice(0, longest) })
      case "ConnectionClosed": {
        const words = log()
        if (error.reason === "framing") return new Errors.ProtocolError({ detail: error.detail.slice(0, longest) })
        return new Errors.AdapterCrashed({
          detail: `${adapter}: ${error.detail}`.slice(0, longest),
          ...(words === undefined ? {} : { log: words })
        })
      }
    }
  }
