/**
 * Divides the work of one connection over turns of the event loop. A connection can send many requests at once. If all of
 * them began in one turn, the requests of other connections would wait for all of them.
 */
import * as Effect from "effect/Effect"

/** Requests of one connection that begin in one turn of the loop. */
const standard = 8

/** Makes an effect that a connection runs after it has begun a request: after each group it waits for the next turn. */
export const make = (size = standard): Effect.Effect<void> => {
  let begun = 0
  return Effect.suspend(() => {
    begun += 1
    return begun % size === 0 ? Effect.yieldNow : Effect.void
  })
}
