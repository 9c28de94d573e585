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
import type { Registry } from "../../breakpoints/Registry.ts"
import type { Connection, Failure, Resume, ResumeOptions } from "../../ports/Backend.ts"
import type { Secrets } from "../../model/secrets/Secrets.ts"
import { BreakpointChanges } from "./BreakpointChanges.ts"
import * as HitVerdicts from "./HitVerdicts.ts"
import * as StopBreakpoints from "./StopBreakpoints.ts"
import type { Reported, Stopped } from "./StopBreakpoints.ts"
import * as StepOrigin from "./StepOrigin.ts"
import type { Logpoints } from "../traces/Logpoints.ts"
import { ThreadHits } from "./ThreadHits.ts"
import type { Traces } from "../traces/Traces.ts"

/** Dependencies of a filter. */
export interface Options extends Omit<StopBreakpoints.Options, "changes"> {
  /** Passes an event on to the log. */
  readonly emit: (event: Event.Event) => void
  readonly secrets: Secrets
  readonly traces: Traces
  readonly logpoints: Logpoints
  readonly connection: Effect.Effect<Connection, Failure>
  /** True if the session is already stopped. */
  readonly isStopped: () => boolean
  /** Returns how often a thread was taken off a processor; undefined if unknown. */
  readonly switches: (thread: number) => Effect.Effect<number | undefined>
  /** Starts the decision about a stop. */
  readonly fork: (work: Effect.Effect<void>) => void
}

/** The filter of one session. */
export interface StopFilter {
  /** Reports, changes or buffers one event of the debugger. Called synchronously and in order. */
  readonly handle: (event: Event.Event) => void
  /** Called before the program is started. */
  readonly starting: () => void
  /** Clears the data of the previous stop and records where a step begins. Called before each resume. */
  readonly resuming: (how: Resume, thread: number, manner?: ResumeOptions) => Effect.Effect<void>
  /** Makes the filter report the next stop, even if its breakpoints do not stop the program. */
  readonly expectStop: () => void
  /** Records that the debugger could not evaluate a condition. */
  readonly conditionFailed: (id: number, problem: string) => void
  /** Returns the conditions that could not be evaluated at this stop. */
  readonly problems: () => ReadonlyArray<{ readonly id: number; readonly problem: string }>
  /** Returns the hits of the stop that is being reported which are not counted yet. */
  readonly newHits: () => ReadonlyArray<number>
}

/**
 * Returns the decided stops of the threads that stop the program. If the one in focus is not among them, the first of the others is in
 * focus.
 */
const stopping = (decided: ReadonlyArray<Reported & { readonly stops: boolean }>): ReadonlyArray<Reported> => {
  const stops = decided.filter((one) => one.stops)
  const isFocused = stops.some(({ event }) => event.focus)
  return stops.map((one, index) => (isFocused || index > 0 ? one : { ...one, event: { ...one.event, focus: true } }))
}

/** True if threads can be at a breakpoint that does not stop the program. */
const decidesAny = (breakpoints: Registry): boolean =>
  breakpoints.list().some(({ enabled, id, log }) => enabled && (log !== undefined || breakpoints.isManaged(id)))

/** Makes the filter of one session. */
export const make = (dependencies: Options): StopFilter => {
  const { breakpoints, emit, secrets } = dependencies
  const changes = new BreakpointChanges(breakpoints)
  const options = { ...dependencies, changes }
  const failed = new Map<number, string>()
  const threadHits = new ThreadHits(options.switches)
  let buffered: Array<Reported> | undefined
  let newHits: ReadonlyArray<number> = []
  let isStopExpected = false
  let origin: StepOrigin.StepOrigin | undefined

  /** Passes a stop on. `hits` are the new ones. A debugger that writes messages by itself has counted their hits. */
  const pass = ({ event, hits }: Reported) => {
    newHits = hits.filter((id) => !breakpoints.isWrittenByDebugger(id))
    emit(event)
    newHits = []
  }

  const report = (stops: ReadonlyArray<Reported>) => {
    buffered = undefined
    isStopExpected = false
    stops.forEach(pass)
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

  /** Returns the stop with the hits of a thread that has run. */
  const withRepeated = (reported: Reported): Effect.Effect<Reported> => {
    const { doubtful, event, hits } = reported
    if (doubtful.length === 0 || event.thread === undefined) return Effect.succeed(reported)
    return Effect.map(threadHits.hasRun(event.thread), (hasRun) =>
      hasRun ? { ...reported, hits: [...hits, ...doubtful] } : reported
    )
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
    const counted = yield* Effect.forEach(buffered ?? [], withRepeated)
    const all = yield* Effect.forEach(counted, (one) => StopBreakpoints.withDue(live, one, options))
    const isAmongOthers = names.size > 1 || isStopExpected
    const isUnsure = (id: number) => live.namesFalseConditions === true && (isAmongOthers || changes.isLate(id))
    const decided: Array<Reported & { readonly stops: boolean }> = []
    for (const { doubtful, due, event, hits, isPassed } of all) {
      // Those that the manager decides about are counted here.
      const named = event.breakpoints.filter((id) => hits.includes(id) || !breakpoints.isManaged(id))
      const hit = { event: { ...event, breakpoints: named }, threadName: names.get(event.thread ?? -1), due, isUnsure }
      const isUnnamed = (id: number) => hits.length > 0 && !event.breakpoints.includes(id)
      const ids = yield* HitVerdicts.stoppingBreakpoints(verdicts, live, hit)
      decided.push({
        event: StopBreakpoints.stoppedBy(event, ids, options),
        hits: ids.filter((id) => !breakpoints.isManaged(id) && (hits.includes(id) || isUnnamed(id))),
        doubtful,
        stops: ids.length > 0 || (event.breakpoints.length === 0 && !isPassed)
      })
    }
    if (buffered === undefined) return
    if (decided.some(({ stops }) => stops)) return report(stopping(decided))
    const as = (reason: Stopped["reason"]) => decided.map((one) => ({ ...one, event: { ...one.event, reason } }))
    if (isStopExpected) return report(as("pause"))
    const events = decided.map(({ event }) => event)
    if (yield* isStepFinished(live, events)) return report(as(origin?.how === "finish" ? "finish" : "step"))
    if (!(yield* options.traces.running?.resuming ?? Effect.succeed(true))) return report(decided)
    if (buffered === undefined) return
    buffered = undefined
    options.logpoints.resuming()
    threadHits.resumed("continue", 0)
    yield* live.resumeSilently(events[0]?.thread ?? 0).pipe(Effect.catch(() => Effect.sync(() => report(decided))))
  }).pipe(Effect.catch(() => Effect.sync(() => (buffered === undefined ? undefined : report(buffered)))))

  return {
    handle: (reported) => {
      const event =
        reported._tag === "Stopped"
          ? StopBreakpoints.listed(reported, options)
          : reported._tag === "Output" && reported.channel === "log"
            ? { ...reported, text: secrets.inText(reported.text) }
            : reported
      if (event._tag === "Stopped") {
        if (!options.isStopped() && buffered === undefined) threadHits.begin()
        const { doubtful, hits } = threadHits.take(event)
        const reported = { event, hits, doubtful }
        if (buffered !== undefined) return void buffered.push(reported)
        // A debugger may name one of the breakpoints at a place, or all of them, also those whose conditions are false.
        const isAmbiguous = breakpoints.sharing(event.breakpoints).length > 1
        // Another thread may be at a breakpoint that does not stop the program; its event can come later.
        const needsQuestion = hits.some(breakpoints.isWatch) || changes.mayExplain(event)
        const isUndecided = isAmbiguous || decidesAny(breakpoints) || needsQuestion || threadHits.isDoubtful
        if (!options.isStopped() && isUndecided) {
          buffered = [reported]
          return options.fork(decide)
        }
        isStopExpected = false
        return pass(reported)
      }
      if (event._tag === "Exited" || event._tag === "Terminated" || event._tag === "Lost") buffered = undefined
      emit(event)
    },

    starting: () => changes.resumed(),

    resuming: Effect.fnUntraced(function* (how, thread, { frame, only } = {}) {
      failed.clear()
      changes.resumed()
      options.logpoints.resuming()
      yield* threadHits.resuming(how, thread, only)
      isStopExpected = false
      origin = undefined
      // Suppressing each further hit would cost a stop.
      yield* Effect.ignore(breakpoints.removeSpent)
      if (how === "continue" || !decidesAny(breakpoints)) return
      const at = yield* Effect.flatMap(options.connection, (live) => StepOrigin.position(live, thread, frame)).pipe(
        Effect.orElseSucceed(() => undefined)
      )
      if (at !== undefined) origin = { ...at, how, thread }
    }),

    expectStop: () => {
      isStopExpected = true
    },
    // The debugger may have a weaker condition than one that is evaluated here.
    conditionFailed: (id, problem) => (breakpoints.managesCondition(id) ? undefined : conditionFailed(id, problem)),
    problems: () => [...failed].map(([id, problem]) => ({ id, problem })),
    newHits: () => newHits
  }
}
