/**
 * A clock whose wall time steps back by an hour at each reading, as when an administrator sets it. Its timers and its
 * monotonic time are those of the surrounding clock. A deadline on the wall clock never passes under it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const HOUR = 3_600_000

const stepped = (clock: Clock.Clock): Clock.Clock => {
  let back = 0
  const millis = () => clock.currentTimeMillisUnsafe() - (back += HOUR)
  const nanos = () => BigInt(Math.round(millis())) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/** Makes such a clock; returns the function that runs an effect under it. */
export const make = Effect.map(Clock.Clock, (clock) => {
  const steps = stepped(clock)
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Clock.Clock, steps)
})
