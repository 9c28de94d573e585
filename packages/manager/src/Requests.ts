/**
 * Requests that are made twice, by callers that lost the first answer: the same id returns the first answer instead of
 * doing it again. The first goes on when its caller is gone, so that there is an answer to return.
 */
import type { Client } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** How long an answer is kept, in milliseconds. */
const kept = 10 * 60_000

/** Most answers that are kept; the oldest go first. */
const most = 1000

interface First {
  readonly since: number
  readonly answer: Deferred.Deferred<unknown, unknown>
}

/** Carries out each request once. Work goes on in the scope of whoever makes this. */
export const once = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const known = new Map<string, First>()

  const forget = (now: number) => {
    for (const [key, { since }] of known) {
      if (now - since < kept && known.size < most) return
      known.delete(key)
    }
  }

  const around: Client.Around = <A, E>(tag: string, id: string | undefined, work: Effect.Effect<A, E>) =>
    id === undefined
      ? work
      : Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          forget(now)
          const key = `${tag} ${id}`
          const first = known.get(key) ?? { since: now, answer: Deferred.makeUnsafe<unknown, unknown>() }
          if (!known.has(key)) {
            known.set(key, first)
            yield* Effect.forkIn(Deferred.into(work, first.answer), scope)
          }
          // Its operation stands in the key, so this is an answer of that type.
          return yield* Deferred.await(first.answer) as Effect.Effect<A, E>
        })
  return around
})
