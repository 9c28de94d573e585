/**
 * Whether a person is there to answer questions: one observes, or has made a call lately.
 */
import { Caller, MonotonicTime, Question } from "@sigtrap/protocol"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The persons of one manager. */
export class PersonPresence {
  readonly #clock: Clock.Clock
  #observing = 0
  #last = -Infinity

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  /** Notes a call. One of an agent changes nothing, nor one of a person at a form, who answers only its own questions. */
  called(actor: Caller.Actor): void {
    if (Caller.role(actor) === "person" && actor.kind !== "mcp") this.#last = MonotonicTime.read(this.#clock)
  }

  /** Counts the caller as present until the scope ends, if it is a person. */
  readonly observe: Effect.Effect<void, never, Scope.Scope> = Effect.flatMap(Caller.Current, ({ actor }) =>
    Caller.role(actor) !== "person"
      ? Effect.void
      : Effect.acquireRelease(
          Effect.sync(() => {
            this.#observing++
          }),
          () =>
            Effect.sync(() => {
              this.#observing--
              this.called(actor)
            })
        )
  )

  /** True if a person observes, or has made a call within `Question.presentMillis`. */
  get isPresent(): boolean {
    return this.#observing > 0 || MonotonicTime.read(this.#clock) - this.#last < Question.presentMillis
  }
}
