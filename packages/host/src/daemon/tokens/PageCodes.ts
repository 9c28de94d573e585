/**
 * The one-time codes of the page: the owner creates one, a page exchanges it for a token.
 *
 * A code has 128 bits, is valid for a minute by the monotonic clock, and works once. Codes are in memory only, so they end with
 * the daemon; the token of a page is a grant and outlives it. A code that a process of another user sends is refused and stays
 * valid, because that user may have read it from the arguments of the browser.
 */
import { Caller, Errors, Hint, MonotonicTime } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { AuditLog } from "../../audit/AuditLog.ts"
import type { Action } from "../../audit/OwnerRecord.ts"
import * as Grants from "../../http/Grants.ts"
import type * as PageTokens from "../../http/PageTokens.ts"
import * as PeerUser from "../../http/PeerUser.ts"
import * as GrantStore from "./GrantStore.ts"

/** How long a code is valid, in milliseconds. */
const codeMillis = 60_000

/** How long the token of a page is valid, in milliseconds. */
const tokenMillis = 12 * 3_600_000

/** Most codes that wait for their page. */
const mostWaiting = 32

/** Most tokens of pages. The least recently used one ends for a new one. */
export const mostPages = 32

/** What a page may do: its tiers, and the only session that it may see; absent for all. `name` is that of its person. */
export const Request = Schema.Struct({
  tiers: GrantStore.Request.fields.tiers,
  session: GrantStore.Request.fields.session,
  name: GrantStore.Request.fields.name
})
/** What a page may do. */
export type Request = typeof Request.Type

/** A new code, and when it ends (milliseconds since 1970). */
export const Created = Schema.Struct({ code: Schema.String, expires: Schema.Finite }).annotate({
  identifier: "PageCode"
})
/** A new code. */
export type Created = typeof Created.Type

/** A code that waits for its page. `deadline` is its end as `MonotonicTime`. */
interface Waiting {
  readonly hash: Buffer
  readonly request: Request
  readonly deadline: number
}

const digest = (code: string): Buffer => createHash("sha256").update(code).digest()

/** The codes of a daemon. */
export class PageCodes extends Context.Service<
  PageCodes,
  {
    /** Creates a code. Fails if too many wait. */
    readonly create: (request: Request) => Effect.Effect<Created, Errors.InvalidState>
    /** Exchanges a code for a token. Fails if that cannot be stored. */
    readonly exchange: (sent: PageTokens.Sent) => Effect.Effect<PageTokens.Answer, Errors.InvalidState>
  }
>()("@sigtrap/host/PageCodes") {}

/** What the codes need: the grants, a function that records an action, and one that tells whether a peer is another user. */
export interface Needs {
  readonly grants: Pick<GrantStore.GrantStore["Service"], "create" | "list" | "revoke">
  readonly acted: (action: Action) => void
  readonly isOtherUser?: (ends: PeerUser.Ends) => Effect.Effect<boolean>
}

/** Makes the codes of a daemon. */
export const make = Effect.fnUntraced(function* ({ acted, grants, isOtherUser = PeerUser.isOther }: Needs) {
  const clock = yield* Clock.Clock
  let waiting: ReadonlyArray<Waiting> = []

  /** Returns the codes that are valid. */
  const valid = () => {
    const now = MonotonicTime.read(clock)
    waiting = waiting.filter(({ deadline }) => now < deadline)
    return waiting
  }

  /** Ends the least recently used tokens of pages, so that there is room for one more. */
  const makeRoom = Effect.gen(function* () {
    const pages = (yield* grants.list).filter(({ kind }) => kind === "page")
    const byUse = pages.toSorted((a, b) => (a.last_used ?? a.created) - (b.last_used ?? b.created))
    for (const { id } of byUse.slice(0, Math.max(0, pages.length - mostPages + 1))) {
      yield* Effect.ignore(grants.revoke(id))
    }
  })

  /** Creates the token of a page. */
  const open = Effect.fnUntraced(function* (request: Request) {
    yield* makeRoom
    const { grant, token = "" } = yield* grants.create({ ...request, kind: "page", millis: tokenMillis, print: true })
    const { expires, id, session, tiers } = grant
    const { actor } = Grants.callerOf(grant, "page", "/")
    acted({ actor, operation: "page", args: { id, tiers, session, expires } })
    const opened: PageTokens.Opened = {
      token,
      expires,
      tiers,
      ...(session === undefined ? {} : { session }),
      actor: Caller.identity(actor)
    }
    return { opened }
  })

  return PageCodes.of({
    create: (request) =>
      Effect.suspend(() => {
        if (valid().length >= mostWaiting) {
          return Effect.fail(
            new Errors.InvalidState({
              problem: `${mostWaiting} page codes wait for their page; each ends after ${codeMillis / 1000} s`,
              remedies: [Hint.local("web")]
            })
          )
        }
        const code = randomBytes(16).toString("hex")
        waiting = [...waiting, { hash: digest(code), request, deadline: MonotonicTime.read(clock) + codeMillis }]
        return Effect.succeed({ code, expires: clock.currentTimeMillisUnsafe() + codeMillis })
      }),
    exchange: ({ code, ends }) =>
      Effect.gen(function* () {
        const hash = digest(code)
        // All are compared, so that the time does not tell which one comes close.
        const find = () => valid().filter((one) => timingSafeEqual(one.hash, hash))[0]
        const found = find()
        if (found === undefined) return { refused: "page-code" } as const
        if (ends !== undefined && (yield* isOtherUser(ends))) return { refused: "user" } as const
        // Another request may have used it in the meantime.
        if (find() === undefined) return { refused: "page-code" } as const
        waiting = waiting.filter((one) => one !== found)
        return yield* open(found.request)
      })
  })
})

/** The codes of the daemon. */
export const layer = Layer.effect(
  PageCodes,
  Effect.flatMap(Effect.all([GrantStore.GrantStore, AuditLog]), ([grants, { acted }]) => make({ grants, acted }))
)
