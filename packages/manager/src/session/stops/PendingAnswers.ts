/**
 * Keeps a stop until the call that caused it has answered, so that its answer describes this stop.
 *
 * A call is known by its fiber. Another call that resumes, and one that reads while a step runs, wait at most
 * `patience` for the answer.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { within } from "../StateChecks.ts"

/** Maximum time that a resume waits for the answer of an earlier one, in milliseconds. */
const patience = 2000

/** The calls of one session that resume the program and have not answered. */
export class PendingAnswers {
  readonly #calls = new Map<number, Deferred.Deferred<void>>()
  /** The calls that step. */
  readonly #steps = new Set<Deferred.Deferred<void>>()
  /** The fiber of the newest resume. */
  #newest: number | undefined

  /** Runs a call that resumes the program and answers with the stop. `isStep` says that it runs to the end of a line or function. */
  during<A, E, R>(call: Effect.Effect<A, E, R>, isStep: boolean): Effect.Effect<A, E, R> {
    return Effect.withFiber(({ id }) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const answered = Deferred.makeUnsafe<void>()
          this.#calls.set(id, answered)
          if (isStep) this.#steps.add(answered)
          return answered
        }),
        () => call,
        (answered) => {
          this.#calls.delete(id)
          this.#steps.delete(answered)
          return Deferred.succeed(answered, undefined)
        }
      )
    )
  }

  /** Records that the current fiber resumes the program. */
  readonly resumed: Effect.Effect<void> = Effect.withFiber(({ id }) =>
    Effect.sync(() => {
      this.#newest = id
    })
  )

  /** Waits until the call that resumed last has answered, unless it is this one. */
  readonly answered: Effect.Effect<void> = Effect.withFiber(({ id }) => {
    const answered = this.#newest === undefined || this.#newest === id ? undefined : this.#calls.get(this.#newest)
    return answered === undefined ? Effect.void : Effect.asVoid(within(patience)(Deferred.await(answered)))
  })

  /** Waits until the calls that step have answered, so that a read that arrives meanwhile is of their stop. */
  readonly stepped: Effect.Effect<void> = Effect.suspend(() =>
    this.#steps.size === 0
      ? Effect.void
      : Effect.asVoid(within(patience)(Effect.forEach([...this.#steps], (answered) => Deferred.await(answered))))
  )
}
