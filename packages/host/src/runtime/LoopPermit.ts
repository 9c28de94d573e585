/**
 * Permission to hold the event loop for some milliseconds, for work that cannot be divided: parsing a large file, decoding a
 * large request. One caller has it at a time. The next one gets it after the loop has rested as long as that work took, so
 * requests of other clients are answered between them. Waiting callers are served in the order of their calls.
 */
import { MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** A permit that callers share. */
export interface LoopPermit {
  /**
   * Waits for the permit. The caller then works, without giving it back. `least` is how long the loop rests at least, in
   * milliseconds, for work that does not begin at once.
   */
  readonly take: (least?: number) => Effect.Effect<void>
}

/** The longest rest after one caller, in milliseconds. */
const longest = 250

/** Makes a permit. */
export const make = (): LoopPermit => {
  const alone = Semaphore.makeUnsafe(1)
  const rest = Effect.fnUntraced(function* (least: number) {
    const begin = yield* MonotonicTime.now
    // The caller works in this turn of the loop, and what it schedules at once in the next.
    yield* Effect.yieldNow
    yield* Effect.yieldNow
    const worked = (yield* MonotonicTime.now) - begin
    yield* Effect.sleep(Math.min(longest, Math.max(least, worked)))
    yield* alone.release(1)
  })
  return {
    take: (least = 1) =>
      Effect.andThen(
        alone.take(1),
        // Not a child of the caller's fiber, which may end before the rest.
        Effect.sync(() => void Effect.runFork(rest(least)))
      )
  }
}

/** The permit of this process. */
export const shared: LoopPermit = make()
