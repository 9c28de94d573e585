/**
 * Measures how long a session has been unused. A call that is under way counts as use. Time is `MonotonicTime`.
 */
import { MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

/** Timeout of a session without `ttl`, in milliseconds. */
export const defaultMillis = 30 * 60_000

/** The idle timeout of one session. */
export interface IdleTimeout {
  /** Timeout in milliseconds; `Infinity` for none. */
  readonly millis: number
  /** Returns when the session was last used, as `MonotonicTime`. */
  readonly lastUsed: () => number
  /** True while a call is under way. */
  readonly isInUse: () => boolean
  /** Counts a call as use, from its start to its end. */
  readonly during: <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Completes when the session has been unused for `millis`. */
  readonly expired: Effect.Effect<void>
}

/** Makes the idle timeout of a session that is used at `now`. */
export const make = (millis: number, now: number): IdleTimeout => {
  let lastUsed = now
  let calls = 0
  const touch = Effect.map(MonotonicTime.now, (time) => {
    lastUsed = time
  })
  return {
    millis,
    lastUsed: () => lastUsed,
    isInUse: () => calls > 0,
    during: (call) =>
      Effect.acquireUseRelease(
        Effect.tap(touch, () => Effect.sync(() => void calls++)),
        () => call,
        () =>
          Effect.tap(
            Effect.sync(() => void calls--),
            () => touch
          )
      ),
    expired: Effect.gen(function* () {
      if (!Number.isFinite(millis)) return yield* Effect.never
      for (;;) {
        const left = lastUsed + millis - (yield* MonotonicTime.now)
        if (left <= 0 && calls === 0) return
        yield* Effect.sleep(left > 0 ? left : millis)
      }
    })
  }
}
