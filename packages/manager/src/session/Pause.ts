/**
 * Pauses a running program. The request is repeated until the stop is seen, because lldb-dap acknowledges some pause
 * requests without stopping.
 */
import type { Snapshot } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Failure } from "../ports/Backend.ts"
import type { EventLog } from "./events/EventLog.ts"
import { within } from "./StateChecks.ts"

/** Time between two of the first pause requests, in milliseconds. */
const interval = 300

/** Number of the first pause requests. */
const attempts = 5

/** Time between two later pause requests, in milliseconds. */
const laterInterval = 1000

/** Dependencies of a pause. */
export interface Options {
  readonly log: EventLog
  /** Sends one request. */
  readonly pause: Effect.Effect<void, Failure>
  /** True if requests are sent until the timeout, not only the first ones. */
  readonly endless: boolean
  /** Makes the filter report the next stop. */
  readonly expectStop: () => void
}

const isStopped = (snapshot: Snapshot.Snapshot) => snapshot.state !== "running" && snapshot.state !== "starting"

/** Returns the first snapshot in which the program does not run; none after a timeout of `millis`. */
export const untilStopped = Effect.fnUntraced(function* ({ endless, expectStop, log, pause }: Options, millis: number) {
  const most = endless ? Number.POSITIVE_INFINITY : attempts
  let waited = 0
  for (let attempt = 0; attempt < most && (attempt === 0 || waited < millis); attempt++) {
    if (isStopped(log.snapshot)) return Option.some(log.snapshot)
    expectStop()
    // Some adapters refuse to pause a program that has just stopped or ended.
    yield* Effect.catch(pause, (error) => (isStopped(log.snapshot) ? Effect.void : Effect.fail(error)))
    const wait = Math.min(attempt < attempts ? interval : laterInterval, millis - waited)
    const seen = yield* within(wait)(log.until(isStopped))
    if (Option.isSome(seen)) return seen
    waited += wait
  }
  return yield* within(millis - waited)(log.until(isStopped))
})
