/**
 * Stopping a running program: asked for again until the stop is seen, since lldb-dap acknowledges some requests without
 * stopping.
 */
import type { Snapshot } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Failure } from "../ports/Backend.ts"
import type { EventLog } from "./EventLog.ts"
import { within } from "./State.ts"

/** Between two pause requests in milliseconds, and how many are sent. */
const pauseEvery = 300
const pauseTimes = 5

/** What is needed of a session. */
export interface Options {
  readonly log: EventLog
  /** Asks once. */
  readonly pause: Effect.Effect<void, Failure>
  /** Tells that the next stop is somebody's wish. */
  readonly interrupt: () => void
}

const stopped = (snapshot: Snapshot.Snapshot) => snapshot.state !== "running" && snapshot.state !== "starting"

/** The first state in which the program does not run; none within `millis`. */
export const untilStopped = Effect.fnUntraced(function* ({ interrupt, log, pause }: Options, millis: number) {
  let waited = 0
  for (let time = 0; time < pauseTimes && (time === 0 || waited < millis); time++) {
    if (stopped(log.snapshot)) return Option.some(log.snapshot)
    interrupt()
    // Some adapters refuse to pause a program that has just stopped or ended by itself.
    yield* Effect.catch(pause, (error) => (stopped(log.snapshot) ? Effect.void : Effect.fail(error)))
    const step = Math.min(pauseEvery, millis - waited)
    const seen = yield* within(step)(log.until(stopped))
    if (Option.isSome(seen)) return seen
    waited += step
  }
  return yield* within(millis - waited)(log.until(stopped))
})
