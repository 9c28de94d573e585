/**
 * Tokens that the owner granted: who calls with one, what it may do, and until when.
 *
 * The daemon keeps them (`GrantStore`). A server beside it asks the daemon for each request, so a revoked token is refused at
 * once. Without a daemon there are none.
 */
import { type Caller, Effects } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Access from "./Access.ts"

/** The tiers that can be granted. */
export const tiers = ["observe", "control", "evaluate", "write", "admin"] as const satisfies ReadonlyArray<Effects.Tier>
/** A tier that can be granted. */
export const Tier = Schema.Literals(tiers)
/** A tier that can be granted. */
export type Tier = typeof Tier.Type

/**
 * What a token allows. `id` is its short name, `g2`; `ask` are further tiers for which a person is asked at each use; `session` is the
 * only session that its caller may see and act on. `kind` is `page` for a token that a page got for a page code; its caller is a
 * person.
 */
export const Credential = Schema.Struct({
  id: Schema.String,
  kind: Schema.optionalKey(Schema.Literal("page")),
  name: Schema.optionalKey(Schema.String),
  tiers: Schema.Array(Tier),
  ask: Schema.optionalKey(Schema.Array(Tier)),
  session: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Credential" })
/** What a token allows. */
export type Credential = typeof Credential.Type

/** A grant as the owner sees it. Times are milliseconds since 1970. `file` has the token, unless it was printed. */
export const Grant = Schema.Struct({
  ...Credential.fields,
  created: Schema.Finite,
  expires: Schema.Finite,
  last_used: Schema.optionalKey(Schema.Finite),
  file: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Grant" })
/** A grant as the owner sees it. */
export type Grant = typeof Grant.Type

/** Checks tokens. */
export interface Service {
  /** Returns what a token allows; undefined for one that is unknown, revoked or expired. */
  readonly verify: (token: string) => Effect.Effect<Credential | undefined>
  /** Completes when a grant is revoked or expires. What waits for it is an open connection of its caller. */
  readonly ended: (id: string) => Effect.Effect<void>
}

/** Checks granted tokens. Without a daemon none is valid. */
export const Grants = Context.Reference<Service>("@sigtrap/host/Grants", {
  defaultValue: () => ({ verify: () => Effect.undefined, ended: () => Effect.never })
})

/**
 * Returns who sent a request: what its granted token allows, or none for the server's own token. Fails with the refusal of a
 * request that has neither. Every request but the health check needs one.
 */
export const identify = (
  request: Access.Request,
  policy: Access.Policy
): Effect.Effect<Option.Option<Credential>, Access.Refusal> => {
  const refusal = Access.checkToken(request, policy)
  if (refusal === undefined) return Effect.succeedNone
  const token = Access.bearer(request)
  if (token === undefined) return Effect.fail(refusal)
  return Effect.flatMap(Grants, ({ verify }) =>
    Effect.flatMap(verify(token), (credential) =>
      credential === undefined ? Effect.fail(refusal) : Effect.succeed(Option.some(credential))
    )
  )
}

/** Returns the caller with a token. Kind `page` and name are those of the grant: what the caller says of itself does not count. */
export const callerOf = (
  { ask = [], id, kind: own, name = id, session, tiers: granted }: Credential,
  kind: Caller.Kind,
  project: string
): Caller.Caller => ({
  actor: { kind: own ?? kind, name, project },
  allowance: {
    effects: Effects.ofTiers(granted),
    destructive: granted.includes("admin"),
    uses: [],
    ...(session === undefined ? {} : { session })
  },
  grant: id,
  ...(ask.length === 0 ? {} : { asks: { effects: Effects.ofTiers(ask), form: false } })
})
