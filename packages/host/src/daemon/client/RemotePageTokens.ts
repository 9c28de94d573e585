/**
 * The exchange of page codes for a server in another process: the daemon does it.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as PageTokens from "../../http/PageTokens.ts"

/** The request to the daemon, see `Protocol`. */
interface Remote {
  readonly "page.exchange": (sent: PageTokens.Sent) => Effect.Effect<PageTokens.Answer, { readonly _tag: string }>
  readonly "page.code": (request: {
    readonly tiers: readonly ["observe"]
    readonly session: string
  }) => Effect.Effect<PageTokens.Link, { readonly _tag: string }>
}

const isStateError = (error: unknown): error is Errors.InvalidState => Predicate.isTagged(error, "InvalidState")

/** Keeps the error of the daemon; another one says that the daemon did not do something. */
const reached =
  (detail: string) =>
  <A, E>(asked: Effect.Effect<A, E>) =>
    Effect.catch(asked, (error) =>
      Effect.fail(
        isStateError(error) ? error : new Errors.DaemonUnreachable({ detail, remedies: [Hint.local("daemon.status")] })
      )
    )

/** Returns the exchange. `connected` returns the daemon's RPC client. */
export const make =
  <E>(connected: Effect.Effect<{ readonly remote: Remote }, E>): PageTokens.Exchange =>
  (sent) =>
    Effect.flatMap(connected, ({ remote }) => remote["page.exchange"](sent)).pipe(
      reached("the page code was not checked")
    )

/** Returns the creation of read-only links. */
export const links =
  <E>(connected: Effect.Effect<{ readonly remote: Remote }, E>): PageTokens.MakeLink =>
  (_, session) =>
    Effect.flatMap(connected, ({ remote }) => remote["page.code"]({ tiers: ["observe"], session })).pipe(
      reached("the link was not made")
    )
