/**
 * The exchange of page codes for a server in another process: the daemon does it.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as PageEntry from "../http/PageEntry.ts"

/** The request to the daemon, see `Protocol`. */
interface Remote {
  readonly "page.exchange": (sent: PageEntry.Sent) => Effect.Effect<PageEntry.Answer, { readonly _tag: string }>
}

const isStateError = (error: unknown): error is Errors.InvalidState => Predicate.isTagged(error, "InvalidState")

/** Returns the exchange. `connected` returns the daemon's RPC client. */
export const make =
  <E>(connected: Effect.Effect<{ readonly remote: Remote }, E>): PageEntry.Exchange =>
  (sent) =>
    Effect.flatMap(connected, ({ remote }) => remote["page.exchange"](sent)).pipe(
      Effect.catch((error) =>
        Effect.fail(
          isStateError(error)
            ? error
            : new Errors.DaemonUnreachable({
                detail: "the page code was not checked",
                remedies: [Hint.local("daemon.status")]
              })
        )
      )
    )
