/**
 * Buffers stops at breakpoints whose hit count, thread or log message the manager evaluates, and drops those that must
 * not be reported.
 *
 * The filter is between the debugger's events and the session's log. While a stop is buffered the session counts as
 * running. When the debugger has answered one more request, all events of the stop have arrived; the stop is then
 * reported, or the program is resumed. A step that finishes at a suppressed stop is reported as that step. If anything
 * fails, the stop is reported. Fibers: one for each buffered stop, in the session's scope.
 */
import type { Event } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection, Failure, Resume } from "../ports/Backend.ts"
import type { Registry } from "../breakpoints/Registry.ts"
import type { Secrets } from "../model/Secrets.ts"
import * as HitVerdicts from "./HitVerdicts.ts"
import type { Stopped } from "./HitVerdicts.ts"
import * as StepOrigin from "./StepOrigin.ts"
import type { Logpoints } from "./Logpoints.ts"
import type { Traces } from "./Traces.ts"

/** Dependencies of a filter. */
export interface Options {
  /** Passes an event on to the log. */
  readonly emit: (event: Event.Event) => void
  readonly secrets: Secrets
  readonly breakpoints: Registry
  readonly traces: Traces
  readonly logpoints: Logpoints
  readonly connection: Effect.Effect<Connection, Failure>
  /** True if the session is already stopped. */
  readonly isStopped: () => boolean
  /** Handles the hit of an internal breakpoint and returns the description of its stop, if it has one. */
  readonly internalHit: (id: number) => string | undefined
  /** Starts the decision about a stop. */
  readonly fork: (work: Effect.Effect<void>) => void
}

/** The filter of one session. */
export interface StopFilter {
  /** Reports, changes or buffers one event of the debugger. Called synchronously and in order. */
  readonly handle: (event: Event.Event) => void
  /** Clears the data of the previous stop and records where a step begins; `frame` is the one that `finish` leaves. Called before each resume. */
  readonly resuming: (how: Resume, thread: number, frame?: number) => Effect.Effect<void>
  /** Makes the filter report the next stop, even if its breakpoints do not stop the program. */
  readonly expectStop: () => void
  /** Records that a condition could not be evaluated. */
  readonly conditionFailed: (id: number, problem: string) => void
  /** Returns the conditions that could not be evaluated at this stop. */
  readonly problems: () => ReadonlyArray<{ readonly id: number; readonly problem: string }>
  /** True while a buffered stop is reported, whose hits are already counted. */
  readonly areHitsCounted: () => boolean
}

/** Removes internal breakpoints from a stop and gives it their description. */
const withoutInternal = (event: Stopped, internalHit: Options["internalHit"]): Stopped => {
  const internal = event.breakpoints.filter((id) => id < 0)
  if (internal.length === 0) return event
  const description = internal.map(internalHit).find((found) => found !== undefined)
  const breakpoints = event.breakpoints.filter((id) => id > 0)
  const reason = description === undefined ? ("until" as const) : ("watchpoint" as const)
  return {
    ...event,
    breakpoints,
    ...(breakpoints.length === 0 ? { reason } : {}),
    ...(description === undefined ? {} : { description })
  }
}

/** Makes the filter of one session. */
export const make = (options: Options): StopFilter => {
  const { breakpoints, emit, secrets } = options
  const failed = new Map<number, string>()
  let buffered: Array<Stopped> | undefined
  let isReporting = false
  let isStopExpected = false
  let origin: StepOrigin.StepOrigin | undefined

  const report = (events: ReadonlyArray<Stopped>) => {
    buffered = undefined
    isStopExpected = false
    isReporting = true
    for (const event of events) emit(event)
    isReporting = false
  }

  const isStepFinished = Effect.fnUntraced(function* (live: Connection, events: ReadonlyArray<Stopped>) {
    const from = origin
    if (from === undefined || !events.some((event) => event.thread === from.thread)) return false
    const at = yield* StepOrigin.position(live, from.thread)
    return at === undefined || StepOrigin.isFinished(from, at)
  })

  const conditionFailed: StopFilter["conditionFailed"] = (id, problem) => {
    const condition = breakpoints.list().find((one) => one.id === id)?.condition ?? ""
    failed.set(id, secrets.inProblem(condition, problem))
  }

  const verdicts = {
    breakpoints,
    secrets,
    emit,
    logpoints: options.logpoints,
    isStopExpected: () => isStopExpected,
    trace: () => options.traces.running,
    conditionFailed,
    hasFailedCondition: (id: number) => failed.has(id)
  }

  /** Reports the buffered stop, or resumes the program. */
  const decide = Effect.gen(function* () {
    const live = yield* options.connection
    const names = new Map((yield* live.threads).map(({ id, name }) => [id, name]))
    const events = buffered ?? []
    const decided: Array<Stopped> = []
    let stops = false
    for (const event of events) {
      const ids = yield* HitVerdicts.stoppingBreakpoints(verdicts, live, event, names.get(event.thread ?? -1))
      stops ||= ids.length > 0 || event.breakpoints.length === 0
      decided.push({ ...event, breakpoints: ids })
    }
    if (buffered === undefined) return
    if (stops) return report(decided)
    if (isStopExpected) return report(decided.map((event) => ({ ...event, reason: "pause" })))
    if (yield* isStepFinished(live, events)) {
      const reason = origin?.how === "finish" ? "finish" : "step"
      return report(decided.map((event) => ({ ...event, reason })))
    }
    if (!(yield* options.traces.running?.resuming ?? Effect.succeed(true))) return report(decided)
    if (buffered === undefined) return
    buffered = undefined
    options.logpoints.resuming()
    yield* live.resumeSilently(events[0]?.thread ?? 0).pipe(Effect.catch(() => Effect.sync(() => report(decided))))
  }).pipe(Effect.catch(() => Effect.sync(() => (buffered === undefined ? undefined : report(buffered)))))

  /** Gives the stop at the breakpoint of `until` this reason. Beside others, that breakpoint is left out. */
  const atUntil = (event: Stopped): Stopped => {
    if (event.reason !== "breakpoint" || !event.breakpoints.some(breakpoints.isForUntil)) return event
    const others = event.breakpoints.filter((id) => !breakpoints.isForUntil(id))
    return others.length === 0 ? { ...event, reason: "until" } : { ...event, breakpoints: others }
  }

  return {
    handle: (reported) => {
      const event =
        reported._tag === "Stopped"
          ? atUntil(withoutInternal(reported, options.internalHit))
          : reported._tag === "Output" && reported.channel === "log"
            ? { ...reported, text: secrets.inText(reported.text) }
            : reported
      if (event._tag === "Stopped") {
        if (buffered !== undefined) return void buffered.push(event)
        const shared = breakpoints.sharing(event.breakpoints)
        const isAmbiguous = shared.length > 1 && shared.some((id) => breakpoints.conditionOf(id) !== undefined)
        if (!options.isStopped() && (isAmbiguous || event.breakpoints.some(breakpoints.isManaged))) {
          buffered = [event]
          return options.fork(decide)
        }
        isStopExpected = false
      }
      if (event._tag === "Exited" || event._tag === "Terminated" || event._tag === "Lost") buffered = undefined
      emit(event)
    },

    resuming: Effect.fnUntraced(function* (how, thread, frame) {
      failed.clear()
      options.logpoints.resuming()
      isStopExpected = false
      origin = undefined
      // Suppressing each further hit would cost a stop.
      yield* Effect.ignore(breakpoints.removeSpent)
      const isAnyManaged = breakpoints.list().some(({ enabled, id }) => enabled && breakpoints.isManaged(id))
      if (how === "continue" || !isAnyManaged) return
      const at = yield* Effect.flatMap(options.connection, (live) => StepOrigin.position(live, thread, frame)).pipe(
        Effect.orElseSucceed(() => undefined)
      )
      if (at !== undefined) origin = { ...at, how, thread }
    }),

    expectStop: () => {
      isStopExpected = true
    },
    conditionFailed,
    problems: () => [...failed].map(([id, problem]) => ({ id, problem })),
    areHitsCounted: () => isReporting
  }
}
