/**
 * The handler of `explain`: why the program is where it is.
 *
 * A running program is paused, read and resumed. It is resumed only if the pause stopped it: a breakpoint or a crash that came
 * first stays the current stop.
 */
import { type Effects, Errors, type Explanation, Field, type Frame, Hint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CoreFile from "../model/cores/CoreFile.ts"
import * as ExitReport from "../model/crashes/ExitReport.ts"
import * as GoDeadlock from "../model/crashes/GoDeadlock.ts"
import * as Permission from "../model/permissions/Permission.ts"
import * as Policy from "../model/permissions/Policy.ts"
import * as RaceReport from "../model/crashes/RaceReport.ts"
import * as RuntimeFrames from "../model/RuntimeFrames.ts"
import { FileReader } from "../ports/FileReader.ts"
import { Processes } from "../ports/Processes.ts"
import type { Session } from "../session/Session.ts"
import type { StopView } from "../session/values/StopView.ts"
import * as CrashFacts from "./crash/CrashFacts.ts"
import * as HandlerFacts from "./crash/HandlerFacts.ts"
import * as RethrownErrors from "./crash/RethrownErrors.ts"
import type { Reply } from "./Reply.ts"
import * as Selection from "./frames/Selection.ts"
import { type Finding, placeOf, type StopPlace } from "./crash/StopFindings.ts"
import * as SanitizerFacts from "./crash/SanitizerFacts.ts"
import * as StopReport from "./stops/StopReport.ts"
import * as Tasks from "./Tasks.ts"
import * as TimeLimit from "./resume/TimeLimit.ts"
import * as ReadingTime from "./waits/ReadingTime.ts"
import { type ThreadActivity, watch } from "./waits/ThreadActivity.ts"
import * as Waits from "./waits/Waits.ts"

type Payload = Operations.Payload<"explain">
type Data = Operations.Data<"explain">

/** Time for a running program to stop, in milliseconds. */
const pauseMillis = 5000

/** Most callers of the user's frame that are shown. */
const mostCallers = 3

/** What a call that pauses the program needs besides reading. */
const pausing: ReadonlyArray<Effects.Use> = [{ effect: "control", field: "what", value: "pauses the running program" }]

/** Fails unless the caller may pause and resume the program. */
const permitPause = Effect.fnUntraced(function* (session: Session) {
  yield* Permission.permit("explain", pausing)
  yield* Policy.check(session.policy, pausing)
  yield* session.lease.permit
})

/** Most characters of standard error that are searched at the end of a program. */
const mostErrors = 16_384

/** Returns the last text that the program wrote to standard error. */
const lastErrors = ({ maskedOutput: journal }: Session): string => {
  let text = ""
  for (const { event } of journal.before(journal.next)) {
    if (text.length >= mostErrors) break
    if (event._tag === "Output" && event.channel === "stderr") text = event.text + text
  }
  return text
}

/** Returns what an ended program answers. */
const ended = Effect.fnUntraced(function* (session: Session) {
  const { exit_code: code, reason, signal, state } = session.log.snapshot
  const how =
    signal !== undefined
      ? `ended by ${signal}`
      : code !== undefined
        ? `exited with code ${code}`
        : state === "detached"
          ? "detached: the program runs without a debugger"
          : `${state}${reason === undefined ? "" : `: ${reason}`}`
  const report = code === undefined ? undefined : ExitReport.of(lastErrors(session), code)
  const { tail } = yield* StopReport.output(session)
  const said = report?.text ?? tail?.trim()
  const race = report?.sanitizer?.tool === "ThreadSanitizer" ? RaceReport.parse(lastErrors(session)) : undefined
  const kind = report?.sanitizer === undefined ? ("message" as const) : ("report" as const)
  const facts: ReadonlyArray<Explanation.Fact> = [
    { kind: "exit", text: how, by: "debugger", ...(signal === undefined ? {} : { signal }) },
    ...(said === undefined || said === "" ? [] : [{ kind, text: said, by: "output" as const }])
  ]
  const data: Data = {
    what: report?.what ?? "exit",
    summary: report?.summary ?? how,
    facts,
    waits: [],
    cycles: [],
    ...(report?.sanitizer === undefined ? {} : { sanitizer: { ...report.sanitizer, ...SanitizerFacts.partsOf(race) } }),
    next: [Hint.call("output", {}), Hint.call("restart", {})]
  }
  return data
})

/** Returns what an ordinary stop answers. */
const ordinary = Effect.fnUntraced(function* (session: Session, place: StopPlace) {
  const { stopped } = session.log.snapshot
  const at = stopped?.breakpoints.length === 1 ? ` ${stopped.breakpoints[0] ?? ""}` : ""
  const told = stopped?.description === undefined ? undefined : session.secrets.inText(stopped.description)
  const signal = stopped?.reason === "signal" && stopped.signal !== undefined ? ` ${stopped.signal}` : ""
  const isTold = told !== undefined && told !== ""
  // The words of the debugger say more than that the reason is none of the known ones.
  const summary = isTold && stopped?.reason === "other" ? told : `${stopped?.reason ?? "other"}${signal}${at}`
  const text = isTold ? told : summary
  const meaning = yield* CrashFacts.ofOrdinary(session, place)
  const finding: Finding = {
    what: "stop",
    summary: meaning === undefined ? summary : `${summary}: ${meaning.text}`,
    facts: [{ kind: "stop", text, by: "debugger" }, ...(meaning === undefined ? [] : [meaning])]
  }
  return finding
})

/** Explains a stop as `what`, which a caller may have asked for. A stop that is `actual` and not that is said to be none. */
const findingOf = Effect.fnUntraced(function* (
  session: Session,
  place: StopPlace,
  what: Explanation.Cause,
  actual: Explanation.Cause
) {
  if (what === "stop" || what === "hang" || what === "exit") return yield* ordinary(session, place)
  const isNone = actual === "stop" || actual === "hang" || actual === "exit"
  if (isNone || (what === "sanitizer" && actual !== what)) {
    const found = isNone ? yield* ordinary(session, place) : yield* CrashFacts.find(session, place, actual)
    const absent = what === "sanitizer" ? "no report of a sanitizer" : `no ${what}`
    return { ...found, summary: `${absent}: ${found.summary}` } satisfies Finding
  }
  return yield* CrashFacts.find(session, place, what)
})

/** Explains what the tasks of the language's runtime wait for. */
const tasksOf = Effect.fnUntraced(function* (session: Session, all: boolean) {
  const { cut, cycles, groups } = yield* Tasks.groupsOf(session, "explain")
  const shown = all ? groups : groups.slice(0, Waits.mostGroups)
  const isWhole = shown.length === groups.length && cut !== true
  const facts: ReadonlyArray<Explanation.Fact> =
    cut === true
      ? [{ kind: "limit", text: "there may be more tasks, which the debugger does not list", by: "debugger" }]
      : []
  const data: Data = {
    what: "hang",
    summary: Tasks.summaryOf(groups, cycles),
    facts,
    waits: [],
    tasks: shown,
    cycles: [],
    next: isWhole ? [] : [Hint.call("tasks", {})]
  }
  const reply: Reply<Data> = {
    data,
    truncated:
      shown.length === groups.length
        ? []
        : [
            {
              path: "data.tasks",
              shown: shown.length,
              total: groups.length,
              hints: [Hint.again("explain", { all: true })]
            }
          ]
  }
  return reply
})

/** Explains why the threads make no progress. */
const hang = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  payload: Payload,
  activity: ThreadActivity | undefined,
  time: ReadingTime.ReadingTime
) {
  if ((yield* Tasks.listOf(session)) !== undefined) return yield* tasksOf(session, payload.all)
  const found = yield* Waits.of(session, view, payload.all, activity, time)
  yield* view.check
  const shown = payload.all ? found.waits : found.waits.slice(0, Waits.mostGroups)
  const [first] = found.cycles.flat()
  const thread = first?.thread ?? shown[0]?.threads[0]
  const child = shown.find(({ kind }) => kind === "child")?.processes?.[0]
  const frame = shown.find(({ threads }) => threads.some(({ id }) => id === thread?.id))?.stack[0]
  const data: Data = {
    what: "hang",
    summary: found.summary,
    ...(thread === undefined ? {} : { thread }),
    threads: found.threads,
    ...(frame?.file === undefined ? {} : { user_frame: frame }),
    facts: found.facts,
    waits: shown,
    ...(activity === undefined ? {} : { watched_ms: activity.millis }),
    cycles: found.cycles,
    next: [
      ...(child === undefined ? [] : [Hint.call("attach", { pid: child.pid })]),
      ...(thread === undefined ? [] : [Hint.call("backtrace", { thread: thread.number ?? thread.id })]),
      Hint.call("threads", {})
    ]
  }
  const reply: Reply<Data> = {
    data,
    truncated:
      shown.length === found.waits.length
        ? []
        : [
            {
              path: "data.waits",
              shown: shown.length,
              total: found.waits.length,
              hints: [Hint.again("explain", { all: true })]
            }
          ]
  }
  return reply
})

/** True if a frame is one of a sanitizer: its source explains nothing of the program. */
const isSanitizer = (frame: RuntimeFrames.Place) => RuntimeFrames.runtimeOf(frame) === "sanitizer"

/** True if a function calls itself. Functions without a name may be different ones. */
const isRecursive = (caller: Frame.Frame, called: Frame.Frame | undefined) =>
  caller.function === called?.function && caller.function !== "??"

/** What is known of a stop without reading, if the time was over. */
const unread = (session: Session, what: Explanation.Cause, { millis }: ReadingTime.ReadingTime): Finding => {
  const { description, reason = "other", signal } = session.log.snapshot.stopped ?? {}
  const told = description === undefined || description === "" ? "" : `: ${session.secrets.inText(description)}`
  const text = `the cause was not read: the time of ${millis} ms was over`
  return { what, summary: `${signal ?? reason}${told}`, facts: [{ kind: "limit", text, by: "debugger" }] }
}

/** What the tasks wait for, if the runtime of Go ended the program because none of them can run. */
const asleep = Effect.fnUntraced(function* (session: Session, { all }: Payload, time: ReadingTime.ReadingTime) {
  const { description, reason } = session.log.snapshot.stopped ?? {}
  if (reason !== "exception" || !GoDeadlock.isTold(description ?? "")) return undefined
  const known = Effect.option(
    Effect.map(tasksOf(session, all), ({ data, truncated }) => ({ tasks: data.tasks, truncated }))
  )
  const found = yield* time.within(known)
  return found === undefined ? undefined : Option.getOrUndefined(found)
})

/** Explains the current stop, with what threads did before the pause that led to it. */
const atStop = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  payload: Payload,
  time: ReadingTime.ReadingTime,
  activity?: ThreadActivity
) {
  const thread = yield* Selection.threadOf(session, view, payload.thread)
  const place = yield* placeOf(session, view, thread.id)
  const actual = CrashFacts.whatOf(session, place)
  const what = payload.what ?? actual
  if (what === "hang") return yield* hang(session, view, payload, activity, time)
  if (what === "exit") return yield* new Errors.InvalidState({ problem: "the program has not ended" })
  const finding = (yield* time.within(findingOf(session, place, what, actual))) ?? unread(session, what, time)
  const handlers = finding.what === "sanitizer" ? [] : ((yield* time.within(HandlerFacts.of(session, place))) ?? [])
  const threads = yield* view.threads
  const { frame } = place.user
  const isLate = RethrownErrors.isReport(frame)
  const isOwn = frame.file !== undefined && !isSanitizer(frame) && !isLate
  // What a signal interrupted did not call its handler.
  const end = handlers.find(({ index }) => index > frame.index)?.index ?? Infinity
  const original = handlers.at(-1)?.fact.frame
  const facts = [...finding.facts, ...handlers.map(({ fact }) => fact)]
  // Behind `main` there are only frames of the C library.
  const isAtEnd = finding.facts.some(({ kind }) => kind === "exit")
  const callers = (isAtEnd || (finding.what === "sanitizer" && !isOwn) ? [] : place.page.frames)
    // Of a stripped program only the addresses of the callers are known; of a sanitizer they tell nothing.
    .filter((caller) => finding.what !== "sanitizer" || RuntimeFrames.isNamed(caller))
    .filter(
      ({ hidden, index, raised }) => index > frame.index && index < end && hidden !== true && raised === undefined
    )
    .filter((caller) => !isSanitizer(caller) && !(isLate && RethrownErrors.isOfReport(frame, caller)))
    .filter((caller, index, all) => !isRecursive(caller, index === 0 ? frame : all[index - 1]))
    .slice(0, mostCallers)
  const waiting = yield* asleep(session, payload, time)
  yield* view.check
  const { column: _, ...uncolumned } = frame
  const own = finding.at === undefined || frame.index !== 0 ? frame : { ...uncolumned, ...finding.at }
  const data: Data = {
    what: finding.what,
    summary: finding.summary,
    thread,
    threads: threads.length,
    ...(isOwn ? { user_frame: own } : {}),
    ...(callers.length === 0 ? {} : { callers }),
    facts: isLate ? [...facts, yield* RethrownErrors.fact(session, place)] : facts,
    waits: [],
    ...(waiting?.tasks === undefined ? {} : { tasks: waiting.tasks }),
    cycles: [],
    ...(finding.sanitizer === undefined ? {} : { sanitizer: finding.sanitizer }),
    next: isAtEnd
      ? [Hint.call("output", {}), Hint.call("restart", {})]
      : [
          isLate ? Hint.call("print", { expressions: ["error.stack"] }) : Hint.call("backtrace", {}),
          original === undefined ? Hint.call("locals", {}) : Hint.call("frame", { index: String(original) })
        ]
  }
  const reply: Reply<Data> = { data, ...(waiting === undefined ? {} : { truncated: waiting.truncated }) }
  return reply
})

/** Pauses the program, reads it, and resumes it if the pause stopped it. Tasks that can be read while it runs need no pause. */
const whileRunning = Effect.fnUntraced(function* (session: Session, payload: Payload, time: ReadingTime.ReadingTime) {
  const list = payload.keep ? undefined : yield* Tasks.listOf(session)
  if (list?.runsCode === true && (payload.what ?? "hang") === "hang") return yield* tasksOf(session, payload.all)
  yield* permitPause(session)
  const isHang = list === undefined && (payload.what ?? "hang") === "hang"
  const activity = isHang ? yield* watch(session, yield* Processes) : undefined
  const before = session.log.snapshot
  const seen = yield* session.pause(pauseMillis)
  if (Option.isNone(seen)) {
    return yield* new Errors.WaitTimeout({ waited_ms: pauseMillis, output_bytes: 0 })
  }
  const stopped = seen.value
  const isPaused = stopped.state === "stopped" && stopped.stopped?.reason === "pause" && stopped.stop > before.stop
  const resume =
    isPaused && !payload.keep ? Effect.ignore(session.resume("continue", undefined, {}, stopped.stop)) : Effect.void
  if (stopped.state !== "stopped") return { data: yield* ended(session) }
  return yield* session.view.pipe(
    Effect.flatMap((view) => atStop(session, view, payload, time, activity)),
    Effect.ensuring(resume)
  )
})

/** Returns what limits each finding in a core file that another program left. */
const limitsOf = Effect.fnUntraced(function* ({ launch: { existing, program } }: Session) {
  if (existing?.kind !== "core") return []
  const warnings = yield* CoreFile.mismatch(existing.file, program, yield* FileReader)
  return warnings.map(({ message }): Explanation.Fact => ({ kind: "limit", text: message, by: "core" }))
})

/** Explains a stop that stays. A core file stays as it is. */
const atPresentStop = Effect.fnUntraced(function* (
  session: Session,
  payload: Payload,
  time: ReadingTime.ReadingTime,
  activity?: ThreadActivity
) {
  const reply = yield* atStop(session, yield* session.view, payload, time, activity)
  const limits = yield* limitsOf(session)
  return { ...reply, data: { ...reply.data, facts: [...limits, ...reply.data.facts] } } satisfies Reply<Data>
})

/** Share of the time in which is read; the rest is for requests that still wait, and for a program that is resumed. */
const readingShare = 0.9

const explained = Effect.fnUntraced(function* (session: Session, payload: Payload, activity?: ThreadActivity) {
  const { state } = session.log.snapshot
  const time = yield* ReadingTime.make(Math.round(Field.millis(payload.timeout) * readingShare))
  if (state === "running" && !session.isLoaded()) return yield* whileRunning(session, payload, time)
  if (state === "exited" || state === "terminated" || state === "detached") return { data: yield* ended(session) }
  return yield* atPresentStop(session, payload, time, activity)
})

/**
 * `explain`. `activity` is what threads did before the pause that led to the current stop, if the caller watched them. It ends within
 * `timeout` and a second; what was not read by then is left out.
 */
export const explain = (session: Session, payload: Payload, activity?: ThreadActivity) =>
  TimeLimit.within(explained(session, payload, activity), payload, "explain")
