/**
 * The time in which an explanation reads. What is not read when it is over stays unknown, and the answer says so.
 */
import { MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The time of one call. */
export interface ReadingTime {
  /** The whole time, in milliseconds. */
  readonly millis: number
  /** Reads until the time is over; undefined if it is. */
  readonly within: <A, E, R>(read: Effect.Effect<A, E, R>) => Effect.Effect<A | undefined, E, R>
  /** True if something was not read because the time was over. */
  readonly isOver: () => boolean
}

/** No limit. */
export const unlimited: ReadingTime = {
  millis: Number.POSITIVE_INFINITY,
  within: (read) => read,
  isOver: () => false
}

/** Makes the time of a call that begins now. */
export const make = Effect.fnUntraced(function* (millis: number) {
  if (!Number.isFinite(millis)) return unlimited
  const end = (yield* MonotonicTime.now) + millis
  let over = false
  const time: ReadingTime = {
    millis,
    within: (read) =>
      Effect.gen(function* () {
        const left = end - (yield* MonotonicTime.now)
        const found = left <= 0 ? Option.none() : yield* Effect.timeoutOption(read, left)
        if (Option.isNone(found)) over = true
        return Option.getOrUndefined(found)
      }),
    isOver: () => over
  }
  return time
})
