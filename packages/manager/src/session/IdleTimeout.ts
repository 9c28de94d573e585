/**
 * The end of sessions that nobody uses: after a while without any call, a launched program is killed and an attached
 * one is let go, so that a forgotten session costs nothing. A call that still waits is use.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Session as Model } from "@sigtrap/protocol"
import type { Session } from "./Session.ts"

/** How long a session may be unused unless it was given another limit, in milliseconds. */
export const limit = 30 * 60_000

/** Counts a call as use of the session, from its beginning to its end. */
export const using =
  (session: Session) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => void session.calls++),
      () => call,
      () =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          session.calls--
          session.lastUsed = now
        })
    )

/** Ends the session by `end` when it was not used for `millis`; completes with the session, however that ends. */
export const watch = <E>(session: Session, millis: number, end: Effect.Effect<void, E>): Effect.Effect<void, E> => {
  const unused: Effect.Effect<void> = Effect.gen(function* () {
    for (;;) {
      const left = session.lastUsed + millis - (yield* Clock.currentTimeMillis)
      if (left <= 0 && session.calls === 0) return
      yield* Effect.sleep(left > 0 ? left : millis)
    }
  })
  const over = session.await((snapshot) => !Model.isLive(snapshot.state) && snapshot.state !== "none", Infinity)
  return Effect.raceFirst(Effect.as(unused, true), Effect.as(over, false)).pipe(
    Effect.flatMap((idle) => (idle ? end : Effect.void))
  )
}
