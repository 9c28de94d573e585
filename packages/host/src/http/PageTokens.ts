/**
 * How the page gets its token: it sends the one-time code of its address.
 *
 * The daemon keeps the codes (`PageCodes`). A server beside it asks the daemon. A server without a daemon has none.
 */
import { Caller, type Errors } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Grants from "./Grants.ts"
import * as PeerUser from "./PeerUser.ts"

/** A code that a page sends, with the connection if it is known. */
export const Sent = Schema.Struct({
  code: Schema.String.check(Schema.isMaxLength(128)),
  ends: Schema.optionalKey(PeerUser.Ends)
})
/** A code that a page sends. */
export type Sent = typeof Sent.Type

/** What a page gets: its token, when that ends (milliseconds since 1970), what it allows, and who the page is. */
export const Opened = Schema.Struct({
  token: Schema.String,
  expires: Schema.Finite,
  tiers: Schema.Array(Grants.Tier),
  session: Schema.optionalKey(Schema.String),
  actor: Caller.Identity
}).annotate({ identifier: "OpenedPage" })
/** What a page gets for its code: a token with its end and tiers, and the actor of its calls. */
export type Opened = typeof Opened.Type

/** The answer to a code: what the page gets, or the rule that refuses it. */
export const Answer = Schema.Union([
  Schema.Struct({ opened: Opened }),
  Schema.Struct({ refused: Schema.Literals(["page-code", "user"]) })
])
/** The answer to a code. */
export type Answer = typeof Answer.Type

/** Exchanges a code for a token. Fails if the token cannot be stored, or the daemon does not answer. */
export type Exchange = (sent: Sent) => Effect.Effect<Answer, Errors.InvalidState | Errors.DaemonUnreachable>

/** The exchange of codes; undefined for a server without a daemon. */
export const PageTokens = Context.Reference<Exchange | undefined>("@sigtrap/host/PageTokens", {
  defaultValue: () => undefined
})

/** A code for one more page, and when it ends (milliseconds since 1970). */
export interface Link {
  readonly code: string
  readonly expires: number
}

/** Creates a code for a page that may only observe one session. `actor` is the person who asks for it. */
export type MakeLink = (
  actor: Caller.Actor,
  session: string
) => Effect.Effect<Link, Errors.InvalidState | Errors.DaemonUnreachable>

/** The creation of read-only links; undefined for a server without a daemon. */
export const PageLink = Context.Reference<MakeLink | undefined>("@sigtrap/host/PageLink", {
  defaultValue: () => undefined
})
