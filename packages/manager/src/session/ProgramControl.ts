/**
 * Resumes and pauses the program of one session. One request at a time resumes the program.
 */
import { Caller, Errors, Hint, Span, type Snapshot } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Semaphore from "effect/Semaphore"
import * as Permission from "../model/permissions/Permission.ts"
import type { Connection, Failure, LaunchRequest, ResumeOptions, Resume } from "../ports/Backend.ts"
import type { CurrentStop } from "./stops/CurrentStop.ts"
import type { EventLog } from "./events/EventLog.ts"
import type { PastStops } from "./stops/PastStops.ts"
import type { Logpoints } from "./traces/Logpoints.ts"
import * as Pause from "./Pause.ts"
import { PendingAnswers } from "./stops/PendingAnswers.ts"
import type { SessionLease } from "./callers/SessionLease.ts"
import { requireProcess, requireStop, unlessSettled, within } from "./StateChecks.ts"
import type { StopFilter } from "./stops/StopFilter.ts"
import type { StopView } from "./values/StopView.ts"

/** Dependencies of resuming and pausing. */
export interface Options {
  readonly launch: LaunchRequest
  readonly log: EventLog
  readonly connection: Effect.Effect<Connection, Failure>
  readonly stop: CurrentStop
  readonly filter: StopFilter
  readonly logpoints: Logpoints
  readonly lease: SessionLease
  readonly past: PastStops
  /** One permit, taken by each request that resumes the program. */
  readonly resuming: Semaphore.Semaphore
  /** True if the program is loaded and not started. */
  readonly isLoaded: () => boolean
  /** Reads what is compared at the next stop, before a thread leaves this one. */
  readonly leaving: (view: StopView, thread: number) => Effect.Effect<void>
}

/** Resumes and pauses the program of one session. */
export interface ProgramControl {
  /** Calls that resume the program and have not answered. */
  readonly answers: PendingAnswers
  /**
   * Resumes the stopped program and returns a token for `outcome`. With `atStop` it fails unless this is the current stop. It
   * waits for the answer of the call that caused the stop.
   */
  readonly resume: (
    how: Resume,
    thread?: number,
    manner?: ResumeOptions,
    atStop?: number
  ) => Effect.Effect<
    number,
    Failure | Errors.NotStopped | Errors.InvalidState | Errors.ThreadNotFound | Errors.StaleStop | Errors.LeaseHeld
  >
  /** Pauses the running program, repeating the request until it stops; none after a timeout of `millis`. */
  readonly pause: (millis: number) => Effect.Effect<Option.Option<Snapshot.Snapshot>, Failure | Errors.InvalidState>
}

/** Makes the control of one session's program. */
export const make = (options: Options): ProgramControl => {
  const answers = new PendingAnswers()
  return { answers, ...requests(options, answers) }
}

/** How long a pause waits for the next hit of a logpoint, in milliseconds. */
const nextHit = 500

const requests = (
  { connection, filter, isLoaded, launch, lease, leaving, log, logpoints, past, resuming, stop }: Options,
  answers: PendingAnswers
): Omit<ProgramControl, "answers"> => ({
  resume: Effect.fnUntraced(
    function* (how, thread, manner, atStop) {
      yield* requireProcess(launch)
      yield* requireStop(log, atStop)
      yield* answers.answered
      const current = yield* stop.view
      const connected = yield* connection
      const chosen = yield* current.threadFor(thread, log.snapshot.stopped?.thread)
      yield* leaving(current, chosen)
      if (log.snapshot.state !== "stopped" || log.snapshot.stop !== current.stop) {
        return yield* new Errors.NotStopped({})
      }
      yield* requireStop(log, atStop)
      yield* filter.resuming(how, chosen, manner)
      yield* answers.resumed
      const { actor } = yield* Caller.Current
      const operation = yield* Permission.operationBeside(how)
      // A call of several resumes can begin before another actor takes the lease. Nothing waits between this check and the event.
      yield* lease.permit
      log.emit({ _tag: "Resumed", command: how, ...operation, thread: chosen }, actor)
      const token = log.snapshot.resumes
      yield* connected.resume(how, chosen, manner).pipe(
        unlessSettled(log, token),
        Effect.tapError((error) =>
          // After a timeout the state is unknown. After a refusal the program is still stopped.
          Effect.sync(() =>
            error._tag === "AdapterError" || error._tag === "Unsupported"
              ? log.emit({ _tag: "ResumeRefused", command: how })
              : undefined
          )
        )
      )
      return token
    },
    Effect.uninterruptible,
    resuming.withPermit,
    Span.within("Session.resume")
  ),

  pause: Effect.fn("Session.pause")(function* (millis) {
    yield* requireProcess(launch)
    const connected = yield* connection
    if (isLoaded()) {
      return yield* new Errors.InvalidState({
        problem: "the program is loaded, not started",
        remedies: [Hint.call("run", {})]
      })
    }
    // A pause that overtakes an earlier resume is lost. So wait until that resume is answered.
    yield* resuming.withPermit(Effect.void)
    past.pausing()
    if (logpoints.isAny()) {
      // While the debugger resumes at each hit it may miss a pause. The next hit stops the program instead.
      filter.expectStop()
      yield* logpoints.end
      yield* within(nextHit)(log.until(({ state }) => state !== "running" && state !== "starting"))
    }
    const { pause, usesUpPauses: endless = false } = connected
    return yield* Pause.untilStopped({ log, pause, endless, expectStop: filter.expectStop }, millis)
  })
})
