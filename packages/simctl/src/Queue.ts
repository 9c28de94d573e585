/**
 * Serializes calls of simctl: several calls at once can deadlock CoreSimulatorService.
 *
 * The queue knows the running command, so that a call that times out while it waits can report that command.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** A queue; the calls of all its users run one at a time. */
export interface Queue {
  /** Runs a call after those before it; `command` is its name for `holder`. */
  readonly take: <A, E, R>(command: string, call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Returns the running command. */
  readonly holder: () => string | undefined
}

/** Creates a queue. */
export const make: Effect.Effect<Queue> = Effect.map(Semaphore.make(1), (turn) => {
  let holder: string | undefined
  return {
    take: (command, call) =>
      turn.withPermit(
        Effect.suspend(() => {
          holder = command
          return Effect.ensuring(
            call,
            Effect.sync(() => (holder = undefined))
          )
        })
      ),
    holder: () => holder
  }
})
