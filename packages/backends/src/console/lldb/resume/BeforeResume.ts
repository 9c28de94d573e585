/**
 * Prepares a stopped program for a resume: signals that wait for it, and the description of a fault.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as FaultSignals from "./FaultSignals.ts"
import * as PendingSignals from "./PendingSignals.ts"

/** Makes the requests before a resume of a thread. They send nothing in most cases. */
export const make = (options: FaultSignals.Options) => {
  const fault = FaultSignals.make(options)
  const leaving = PendingSignals.make(options)
  return (how: Backend.Resume, thread: number): Effect.Effect<void> => Effect.andThen(fault(how), leaving(how, thread))
}
