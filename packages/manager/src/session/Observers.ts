/**
 * The streams that each actor has open.
 */
import { Caller } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The streams of one manager. */
export class Observers {
  readonly #open = new Map<string, number>()

  /** Counts a stream of the caller until the scope ends. Calls `gone` with the id of an actor whose last stream has closed. */
  observing(gone: (actor: string) => void): Effect.Effect<void, never, Scope.Scope> {
    const count = (id: string, by: number) => {
      const streams = (this.#open.get(id) ?? 0) + by
      if (streams > 0) this.#open.set(id, streams)
      else this.#open.delete(id)
      return streams
    }
    return Effect.flatMap(Caller.Current, ({ actor }) => {
      const id = Caller.id(actor)
      return Effect.acquireRelease(
        Effect.sync(() => void count(id, 1)),
        () =>
          Effect.sync(() => {
            if (count(id, -1) === 0) gone(id)
          })
      )
    })
  }
}
