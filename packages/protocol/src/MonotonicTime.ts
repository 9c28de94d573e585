/**
 * The time that deadlines are measured with. The wall clock may step backwards or forwards at any moment, so it is only for
 * timestamps that people read; a repository test holds that. Timers (`Effect.sleep`, `Effect.timeout`) are monotonic in
 * every runtime. The origin is arbitrary, so two values of one process are subtracted and none is stored.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Returns the time of a clock, in milliseconds. */
export const read = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** The time, in milliseconds. */
export const now: Effect.Effect<number> = Effect.map(Clock.Clock, read)
