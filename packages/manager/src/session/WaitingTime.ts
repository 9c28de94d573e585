/**
 * Measures how long a call waits for the program, apart from the time in which it works.
 */
import { MonotonicTime } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The waiting time of one call. Waits at the same time count once. */
export class WaitingTime {
  #millis = 0
  #waits = 0
  #since = 0

  /** Notes that a wait begins. `now` is `MonotonicTime`. */
  begin(now: number): void {
    if (this.#waits === 0) this.#since = now
    this.#waits += 1
  }

  /** Notes that a wait has ended. */
  end(now: number): void {
    this.#waits -= 1
    if (this.#waits === 0) this.#millis += now - this.#since
  }

  /** The time of all waits so far, in milliseconds. */
  get millis(): number {
    return this.#millis
  }
}

/** The waiting time of the running call; absent if it is not measured. */
export const Current = Context.Reference<WaitingTime | undefined>("@sigtrap/manager/WaitingTime", {
  defaultValue: () => undefined
})

/** Runs an effect that waits for the program. */
export const during = <A, E, R>(wait: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Current, (time) =>
    time === undefined
      ? wait
      : Effect.flatMap(Clock.Clock, (clock) => {
          time.begin(MonotonicTime.read(clock))
          return Effect.ensuring(
            wait,
            Effect.sync(() => time.end(MonotonicTime.read(clock)))
          )
        })
  )
