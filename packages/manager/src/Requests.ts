/**
 * Makes requests idempotent: a request of the same caller with a known id returns the first answer and is not carried out
 * again. The first request completes even if its caller disconnects.
 */
import { Caller, type Client, MonotonicTime } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

/** Time for which an answer is kept, in milliseconds. */
const lifetime = 10 * 60_000

/** Maximum number of answers that are kept. The oldest are dropped first. */
const maxAnswers = 1000

/** Errors after which nothing was done and the same call can succeed. */
const refusals = ["TierRequired", "LeaseHeld"]

interface First {
  readonly since: number
  readonly answer: Deferred.Deferred<unknown, unknown>
}

/** Returns a wrapper that carries out each request once, in the scope of this effect. */
export const once = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const known = new Map<string, First>()

  const forget = (now: number) => {
    for (const [key, { since }] of known) {
      if (now - since < lifetime && known.size < maxAnswers) return
      known.delete(key)
    }
  }

  const around = <A, E>({ id, operation }: Client.Call, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    id === undefined
      ? work
      : Effect.gen(function* () {
          const { actor, grant } = yield* Caller.Current
          const now = yield* MonotonicTime.now
          forget(now)
          // Two tokens with one name may have different tiers.
          const key = `${operation._tag} ${id} ${JSON.stringify([actor, grant])}`
          const first = known.get(key) ?? { since: now, answer: Deferred.makeUnsafe<unknown, unknown>() }
          if (!known.has(key)) {
            known.set(key, first)
            // The same call with a wider allowance, or once control is free, is another attempt.
            const attempt = Effect.tapError(work, (error) =>
              Effect.sync(() => {
                if (refusals.some((tag) => Predicate.isTagged(error, tag))) known.delete(key)
              })
            )
            yield* Effect.forkIn(Deferred.into(attempt, first.answer), scope)
          }
          // The key contains the operation, so the answer has its type.
          return yield* Deferred.await(first.answer) as Effect.Effect<A, E>
        })
  return around
})
