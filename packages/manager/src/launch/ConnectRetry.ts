/**
 * Waits for a debug server to listen. The server accepts one client, so its port cannot be probed; the whole connection
 * is retried until the timeout.
 */
import { type Errors, MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

/** Time between two attempts, in milliseconds. */
const retryInterval = 100

/** Retries a connection for `millis` while it is refused. */
export const retry = <A, E extends { readonly _tag: string }>(
  connect: Effect.Effect<A, E | Errors.AttachFailed>,
  millis: number
): Effect.Effect<A, E | Errors.AttachFailed> =>
  Effect.gen(function* () {
    const end = (yield* MonotonicTime.now) + millis
    const attempt: Effect.Effect<A, E | Errors.AttachFailed> = Effect.catch(connect, (error) =>
      Effect.gen(function* () {
        const left = end - (yield* MonotonicTime.now)
        const refused = "reason" in error && error.reason === "connection-refused"
        if (left <= 0 || !refused) return yield* Effect.fail(error)
        yield* Effect.sleep(Math.min(retryInterval, left))
        return yield* attempt
      })
    )
    return yield* attempt
  })
