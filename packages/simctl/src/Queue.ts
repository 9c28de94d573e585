/**
 * The queue in which calls of simctl wait: CoreSimulatorService can deadlock under several at once.
 *
 * It knows whose turn it is, so that a call whose time ends in it can say what it waited for.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** A queue; whoever shares it takes turns. */
export interface Queue {
  /** Makes a call when its turn has come; `command` is how others get to know it. */
  readonly take: <A, E, R>(command: string, call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The command whose turn it is. */
  readonly holder: () => string | undefined
}

/** A queue of its own. */
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
