/**
 * Waiting for a debug server to listen. A look at its port would be taken for its one client, so the whole connection
 * is tried again: with the polls of `AttachTargets` the second and last, bounded by the caller and the Effect clock.
 */
import type { Errors } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Between two tries, in milliseconds. */
const tryEvery = 100

const closed = /connection refused/i

/** Tries again for so many milliseconds, as long as nobody listens. */
export const retry = <A, E extends { readonly _tag: string }>(
  connect: Effect.Effect<A, E | Errors.AttachFailed>,
  millis: number
): Effect.Effect<A, E | Errors.AttachFailed> =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + millis
    const attempt: Effect.Effect<A, E | Errors.AttachFailed> = Effect.catch(connect, (error) =>
      Effect.gen(function* () {
        const left = end - (yield* Clock.currentTimeMillis)
        const detail = error._tag === "AttachFailed" && "detail" in error ? error.detail : ""
        if (left <= 0 || !closed.test(detail)) return yield* Effect.fail(error)
        yield* Effect.sleep(Math.min(tryEvery, left))
        return yield* attempt
      })
    )
    return yield* attempt
  })
