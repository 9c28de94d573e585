/**
 * Decodes the bodies of events (DAP), and the wait for an event that changes the program's state. A body of another shape is
 * ignored.
 */
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** The events after which the program runs, is stopped or has ended. */
export const stateEvents: ReadonlySet<string> = new Set(["continued", "stopped", "exited", "terminated"])

/** A wait for the next event that resumes, stops or ends the program. */
export interface StateChange {
  readonly happened: Effect.Effect<void>
  /** Ends the wait; `happened` never completes then. */
  readonly cancel: () => void
}

/** Calls `use` with the body of an event if it has the event's shape. */
export const decode = <A>(
  event: { readonly decode: (body: unknown) => Result.Result<A, unknown> },
  body: unknown,
  use: (body: A) => void
): void => {
  Result.map(event.decode(body), use)
}
