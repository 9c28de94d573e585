/**
 * Serializes calls of simctl: several calls at once can deadlock CoreSimulatorService.
 *
 * The queue knows the running command, so that a call that times out while it waits can report that command.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** A queue; the calls of all its users run one at a time. */
export interface Queue {
  /** Runs a call after all earlier ones; `command` is the text that `running` returns meanwhile. */
  readonly run: <A, E, R>(command: string, call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Returns the running command. */
  readonly running: () => string | undefined
}

/** Creates a queue. */
export const make: Effect.Effect<Queue> = Effect.map(Semaphore.make(1), (turn) => {
  let running: string | undefined
  return {
    run: (command, call) =>
      turn.withPermit(
        Effect.suspend(() => {
          running = command
          return Effect.ensuring(
            call,
            Effect.sync(() => (running = undefined))
          )
        })
      ),
    running: () => running
  }
})
