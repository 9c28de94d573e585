/** Waits for the next event of a debug adapter that resumes, stops or ends the program. */
import * as Deferred from "effect/Deferred"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** The events after which the program runs, is stopped or has ended. */
const stateEvents: ReadonlySet<string> = new Set(["continued", "stopped", "exited", "terminated"])

/** A wait for the next event that resumes, stops or ends the program. */
export interface StateChange {
  readonly happened: Effect.Effect<void>
  /** Ends the wait; `happened` never completes then. */
  readonly cancel: () => void
}

/** The waits of one connection. */
export class StateChanges {
  #waiting: Deferred.Deferred<void> | undefined

  /** Starts a wait. */
  start(): StateChange {
    const deferred = Deferred.makeUnsafe<void>()
    this.#waiting = deferred
    return {
      happened: Deferred.await(deferred),
      cancel: () => {
        if (this.#waiting === deferred) this.#waiting = undefined
      }
    }
  }

  /** Completes the wait, if the event is one that it waits for. */
  completeAt(event: string): void {
    if (this.#waiting !== undefined && stateEvents.has(event)) Deferred.doneUnsafe(this.#waiting, Exit.void)
  }
}
