/**
 * Translates failures of the DAP client to the errors of `@sigtrap/protocol`.
 */
import type { Errors as Dap, Transport } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AdapterInfo from "./AdapterInfo.ts"
import * as Attach from "../adapters/Attach.ts"
import { adapterError, type Failures } from "../console/Failures.ts"

/** The errors of a request. */
export type Failure =
  | Errors.AdapterError
  | Errors.AdapterCrashed
  | Errors.ProtocolError
  | Errors.RequestTimeout
  | Errors.Unsupported

const longest = 400

/** What requests that an adapter may lack are for; a hint for breakpoints on functions is added by the manager. */
const words: ReadonlyMap<string, string> = new Map([
  ["setFunctionBreakpoints", "breakpoints on functions"],
  ["setExceptionBreakpoints", "stops at exceptions"],
  ["exceptionInfo", "details of exceptions"],
  ["setVariable", "assignments to variables"],
  ["setExpression", "assignments"],
  ["readMemory", "reading memory"],
  ["writeMemory", "writing memory"],
  ["disassemble", "disassembly"],
  ["modules", "a list of modules"],
  ["loadedSources", "a list of source files"],
  ["completions", "completion"]
])

/** How long an adapter may take to exit after its connection closed. */
const exitTimeout = "1 second"

/** Translates one failure; `log` returns the last lines of the adapter's standard error, `failures` are the patterns of its messages. */
export const translate =
  (adapter: string, log: () => string | undefined, failures: Failures | undefined) =>
  (error: Dap.RequestError): Failure => {
    switch (error._tag) {
      case "RequestFailed":
        return adapterError(
          failures,
          error.command,
          error.code === "notStopped"
            ? "it answers that only while the program is stopped"
            : error.text.trim().slice(0, longest)
        )
      case "RequestTimedOut":
        return new Errors.RequestTimeout({
          command: error.command,
          after_ms: Math.round(Duration.toMillis(error.after))
        })
      case "RequestUnsupported":
        return new Errors.Unsupported({
          what: words.get(error.command) ?? error.command,
          by: adapter,
          remedies: error.command === "setFunctionBreakpoints" ? [] : [Hint.call("status", {})]
        })
      case "BodyInvalid":
        return new Errors.ProtocolError({ detail: error.message.slice(0, longest) })
      case "ConnectionClosed": {
        const lines = log()
        if (error.reason === "framing") return new Errors.ProtocolError({ detail: error.detail.slice(0, longest) })
        return new Errors.AdapterCrashed({
          detail: `${adapter}: ${error.detail}`.slice(0, longest),
          ...(lines === undefined ? {} : { log: lines })
        })
      }
    }
  }

/** A start in progress. */
interface Starting {
  readonly request: Backend.LaunchRequest
  /** The adapter's name in messages. */
  readonly name: string
  /** The debug server that speaks DAP itself and is not our process. */
  readonly remote: Extract<Backend.AttachTarget, { readonly kind: "remote" }> | undefined
  readonly log: () => string | undefined
  /** The patterns of its messages. */
  readonly failures: Failures | undefined
  readonly exit: Effect.Effect<Transport.Exit>
  /** What to do if the adapter does not start. */
  readonly remedies: Hint.Hints | undefined
}

/** Translates a failure before the session is ready: a closed connection is a failed start, explained by the exit. */
export const startFailure =
  ({ exit, failures, log, name, remedies, remote, request }: Starting) =>
  (stage: string) =>
  (error: Dap.RequestError): Effect.Effect<never, Backend.LaunchFailure> => {
    if (error._tag === "RequestFailed") {
      return Effect.fail(
        request.existing === undefined
          ? Attach.launchRefused(request.program, error.text.trim(), failures)
          : Attach.refused(request.existing, error.text.trim(), failures)
      )
    }
    const advice = remedies === undefined ? {} : { remedies }
    if (error._tag === "RequestTimedOut" && error.command === "initialize") {
      const { after, command } = error
      return Effect.fail(
        new Errors.RequestTimeout({ command, after_ms: Duration.toMillis(after), by: name, ...advice })
      )
    }
    if (error._tag !== "ConnectionClosed") return Effect.fail(translate(name, log, failures)(error))
    if (remote !== undefined) return Effect.fail(Attach.connectionRefused(remote))
    const failed = (detail: string) => {
      const lines = log()
      return new Errors.AdapterStartFailed({
        adapter: name,
        stage,
        detail,
        ...(lines === undefined ? {} : { log: lines }),
        ...advice
      })
    }
    const { existing } = request
    // A program that does not speak the protocol may keep running, and so may an adapter that cannot attach.
    return exit.pipe(
      Effect.timeoutOption(exitTimeout),
      Effect.flatMap((how) => {
        if (Option.isSome(how)) return Effect.fail(failed(`it ${AdapterInfo.endOf(how.value)}`))
        if (stage === "initialize") return Effect.fail(failed(`it does not speak the protocol: ${error.detail}`))
        return Effect.fail(
          existing?.kind === "remote"
            ? Attach.connectionRefused(existing)
            : failed(`it ended the connection: ${error.detail}`)
        )
      })
    )
  }
