/**
 * Composes the stop report: location, stack, source and locals of the current stop.
 * It only reads the program. It updates what the caller has seen: values and output.
 */
import { type Answer, Errors, type Event, Hint, type Snapshot, type Stop, type Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Failure } from "../../ports/Backend.ts"
import type { FileReader } from "../../ports/FileReader.ts"
import * as CrashFacts from "../crash/CrashFacts.ts"
import * as ExitReport from "../../model/crashes/ExitReport.ts"
import * as OutputReader from "../OutputReader.ts"
import * as RethrownErrors from "../crash/RethrownErrors.ts"
import * as Displays from "../values/Displays.ts"
import * as PanicMessage from "../crash/PanicMessage.ts"
import * as RecordedReport from "./RecordedReport.ts"
import * as ReturnedError from "../crash/ReturnedError.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { Session } from "../../session/Session.ts"
import * as SeenValues from "../values/SeenValues.ts"
import type { SourceFiles } from "../../model/sources/SourceFiles.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"
import * as StopSource from "./StopSource.ts"
import * as UserFrame from "../frames/UserFrame.ts"
import * as Watchpoints from "../breakpoints/Watchpoints.ts"
import * as StopReason from "./StopReason.ts"

/** Size of a report: `lines` of source on either side of `frame`. */
export interface Size {
  readonly context: Stop.Detail
  readonly lines: number
  readonly frame?: number
  /** Thread to show (the one that stopped). */
  readonly thread?: number
}

/** A report, and what was truncated. `at` is the state that it describes, if the session may have left it. */
export interface Report {
  readonly data: Stop.StopReport
  readonly truncated: ReadonlyArray<Answer.Truncation>
  readonly at?: Snapshot.Snapshot
}

/** Maximum number of locals and frames by size. */
const limitsOf = {
  brief: { locals: 8, frames: 5 },
  full: { locals: 1000, frames: 20 }
} as const

/** Maximum length of the last line of output, in characters; a longer one has `…` for its beginning. */
const maxTail = 200

const isProgramOutput = (event: Event.Event): event is Extract<Event.Event, { readonly _tag: "Output" }> =>
  event._tag === "Output" && event.channel !== "console"

const lastLine = ({ maskedOutput: journal }: Session): string | undefined => {
  let text = ""
  const { output } = journal
  for (let position = output.end - 1; position >= output.start && text.length <= maxTail; position--) {
    const event = journal.at(output.get(position)?.seq ?? 0)?.event
    if (event === undefined || !isProgramOutput(event)) continue
    text = event.text + text
    if (text.trimEnd().includes("\n")) break
  }
  const line = text.trimEnd().split("\n").at(-1)
  if (line === undefined || line === "") return undefined
  // The first half of a surrogate pair may be cut off.
  return line.length <= maxTail ? line : `…${line.slice(1 - maxTail).replace(/^[\udc00-\udfff]/, "")}`
}

/** Returns the output since the previous report of the caller, and makes this the previous report. */
export const output = (session: Session): Effect.Effect<Stop.OutputSummary> =>
  Effect.map(session.viewpoint, (viewpoint) => {
    const bytes = viewpoint.takeOutputBytes()
    const tail = bytes === 0 ? undefined : lastLine(session)
    return { bytes, next: session.log.journal.next, ...(tail === undefined ? {} : { tail }) }
  })

/** Returns the enabled breakpoints that never stopped the program. A logpoint stops no program. */
const neverHit = (session: Session): Pick<Stop.StopReport, "never_hit"> => {
  const never_hit = session.breakpoints
    .list()
    .filter((one) => one.enabled && one.hit_count === 0 && one.log === undefined && one.kind !== "catch")
    .map(({ condition, hits_wanted: hits, id, kind, reason, requested, resolved }) => {
      const passed = session.breakpoints.passesOf(id)
      return {
        id,
        at: requested.text.replace(/ if .*$/s, ""),
        ...(condition === undefined ? {} : { condition }),
        ...(hits === undefined ? {} : { hits }),
        ...(passed === undefined ? {} : { passed }),
        ...(kind === "watch" ? { watch: true as const } : {}),
        ...(session.notes.mayMiss ? { missed: true as const } : {}),
        ...(resolved || kind === "watch" ? {} : { unresolved: reason ?? "the debugger found no such place" })
      }
    })
  return never_hit.length === 0 ? {} : { never_hit }
}

/** Returns the children of the program that ran without the debugger. */
const forked = ({ launch, notes }: Session, stop?: number): Pick<Stop.StopReport, "children"> => {
  const children = launch.followFork === "child" ? [] : notes.children(stop)
  return children.length === 0 ? {} : { children: children.map((pid) => ({ pid, followed: false })) }
}

/** Size of the newest output that is searched at the end of a program, in bytes. */
const searchedAtEnd = 16_384

/**
 * Returns what a sanitizer wrote before it ended the program, in one line. One that the debugger does not know, and LeakSanitizer, which
 * works under no debugger, end the program without a stop.
 */
const sanitizerAtEnd = (session: Session, code: number | undefined): Pick<Stop.StopReport, "explain"> => {
  const errors = OutputReader.newest(session.maskedOutput, searchedAtEnd).filter(({ channel }) => channel === "stderr")
  const report = code === undefined ? undefined : ExitReport.of(errors.map(({ text }) => text).join(""), code)
  return report?.sanitizer !== undefined || report?.isLeakCheck === true ? { explain: report.text } : {}
}

const ended = Effect.fnUntraced(function* (session: Session) {
  const { state, exit_code, signal } = session.log.snapshot
  const data: Stop.StopReport = {
    event: state === "exited" ? "exited" : state === "detached" ? "detached" : "terminated",
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(signal === undefined ? {} : { signal }),
    ...(state === "exited" ? { ...neverHit(session), ...forked(session), ...sanitizerAtEnd(session, exit_code) } : {}),
    output: yield* output(session)
  }
  return data
})

/** Returns the file name of a module. `modules` has the whole path. */
const baseName = (module: string): string => module.slice(module.lastIndexOf("/") + 1)

/** Marks the variables of a frame that changed since an earlier stop in it. */
export const marked = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  thread: number,
  frame: Located,
  variables: ReadonlyArray<Variable.Variable>
) {
  const seen = yield* SeenValues.read(session, view, frame, variables)
  const { changes } = yield* session.viewpoint
  return changes.mark(view.stop, yield* SeenValues.frameKey(view, thread, frame), variables, seen)
})

/** Returns the earlier stop in a frame, with its values. */
export const earlierStop = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  thread: number,
  frame: Located,
  since?: number
) {
  return (yield* session.viewpoint).changes.before(yield* SeenValues.frameKey(view, thread, frame), since)
})

const reportStop = Effect.fnUntraced(function* (session: Session, view: StopView, size: Size) {
  const viewpoint = yield* session.viewpoint
  const stopped = session.log.snapshot.stopped
  const threads = yield* view.threads
  const thread = threads.find((candidate) => candidate.id === (size.thread ?? stopped?.thread)) ?? threads[0]
  const limits = limitsOf[size.context === "full" ? "full" : "brief"]
  const page = thread === undefined ? { frames: [] } : yield* view.stack(thread.id, 0, 20)
  const start = thread === undefined ? 0 : yield* UserFrame.indexOf(session, view, thread.id)
  const index = size.frame ?? start
  const located =
    thread === undefined
      ? Option.none()
      : yield* view.frame(thread.id, index).pipe(
          Effect.asSome,
          Effect.catchTag("FrameNotFound", () => Effect.succeed(Option.none()))
        )
  const shown = Option.map(located, (found) => found.frame)
  const brief = size.context === "full" ? new Set() : RuntimeFrames.foldedWithoutUser(page.frames)
  const folded = page.frames.filter((frame) => (frame.hidden === true || brief.has(frame)) && frame.index !== index)
  const visible = UserFrame.callersIn(page.frames, size.context).filter((frame) => !folded.includes(frame))
  const joined = size.context === "full" ? visible : UserFrame.joinRecursion(visible)
  const chain = joined.slice(0, limits.frames)
  const covered = "total" in page && page.total === page.frames.length
  const more = visible.length - chain.reduce((count, { repeat = 1 }) => count + repeat, 0)
  const below = index === start ? UserFrame.stoppedIn(page, index) : undefined
  const cause = UserFrame.causeOf(session, page, start)
  const showsSource = size.context === "brief" || size.context === "full"
  const around = size.context === "full" ? Math.max(size.lines, 5) : size.lines
  // The text is read from the disk while the debugger reads the variables.
  const [{ refused, source, stale }, all] = yield* Effect.all(
    [
      StopSource.at(session, showsSource ? Option.getOrUndefined(shown) : undefined, around),
      showsSource && Option.isSome(located) ? view.locals(located.value) : Effect.succeed([])
    ],
    { concurrency: "unbounded" }
  )
  let locals: ReadonlyArray<Variable.Variable> = []
  if (showsSource && Option.isSome(located) && thread !== undefined) {
    const seen = yield* SeenValues.read(session, view, located.value, all.slice(0, limits.locals))
    const key = yield* SeenValues.frameKey(view, thread.id, located.value)
    const values = SeenValues.completed(session, all, seen)
    locals = SeenValues.whole(session, viewpoint.changes.mark(view.stop, key, values, seen), seen)
    if (index === start) yield* RecordedReport.compare(session, view.stop, key, values, seen)
  }
  const displays =
    showsSource && Option.isSome(located) && thread !== undefined
      ? yield* Displays.values(session, view, located.value, thread.id)
      : []
  const evaluations = [...view.evaluations, ...displays]
  const watch = Option.isSome(located) ? yield* Watchpoints.change(session, view, located.value) : undefined
  const missed = Option.isSome(located) ? yield* Watchpoints.missed(session, view, located.value) : []
  const exception = yield* StopReason.exception(session, view, thread?.id)
  const isLate = Option.exists(shown, RethrownErrors.isReport)
  const isTold = thread === undefined || index !== start || (exception?.type !== undefined && !isLate)
  const explain = isTold ? undefined : yield* CrashFacts.line(session, view, thread.id)
  const message =
    cause?.reason === "panic"
      ? PanicMessage.of(session)
      : cause?.reason === "assert" && thread !== undefined
        ? yield* ReturnedError.of(session, view, thread.id, page)
        : undefined
  yield* view.check
  // The debugger reports each thread of a stop by an event of its own. The last ones come while the report is read.
  const together = session.log.snapshot.stopped?.threads ?? []
  const others = threads.filter((candidate) => candidate !== thread && together.includes(candidate.id))
  const hit = StopReason.hitBreakpoints(session)
  // The call of another client may have found it out.
  const returned = index === start ? session.past.at(view.stop)?.report?.return_value : undefined
  const data: Stop.StopReport = {
    event: "stopped",
    ...forked(session, view.stop),
    ...StopReason.of(session, hit, cause, message),
    ...(stopped?.reason === "signal" && stopped.signal !== undefined ? { signal: stopped.signal } : {}),
    breakpoints: hit.map(({ id }) => id),
    ...(watch === undefined ? {} : { watch }),
    ...(missed.length === 0 ? {} : { missed_writes: missed }),
    ...(returned === undefined ? {} : { return_value: returned }),
    ...(hit.length === 0 ? {} : { hit_counts: hit.map(({ hit_count }) => hit_count) }),
    ...(thread === undefined ? {} : { thread }),
    threads: threads.length,
    ...(others.length === 0 ? {} : { other_threads: others }),
    ...Option.match(shown, {
      onNone: () => ({}),
      onSome: ({ index: _, ref: __, hidden: ___, module, ...position }) => ({
        location: { ...position, ...(module === undefined ? {} : { module: baseName(module) }) }
      })
    }),
    ...(below === undefined ? {} : { stopped_in: below, user_frame: index }),
    // A frame has its module only if it differs from the module of the location.
    frames: chain.map(({ column: _, address: __, module, ...frame }) => ({
      ...frame,
      ...(module === undefined || module === Option.getOrUndefined(shown)?.module ? {} : { module: baseName(module) })
    })),
    ...(covered && more > 0 ? { more_frames: more } : {}),
    ...(covered ? {} : { deeper: true }),
    ...(folded.length === 0 ? {} : { hidden_frames: folded.length, left_out: RuntimeFrames.countByRuntime(folded) }),
    ...("cut" in page ? { stack_cut: true } : {}),
    ...Option.match(source, { onNone: () => ({}), onSome: (lines) => ({ source: lines }) }),
    ...refused,
    ...(stale ? { stale } : {}),
    ...(showsSource ? { locals: locals.slice(0, limits.locals) } : {}),
    ...(evaluations.length === 0 ? {} : { evaluations }),
    ...(view.commands.length === 0 ? {} : { commands: view.commands }),
    ...(exception === undefined ? {} : { exception }),
    ...(explain === undefined ? {} : { explain }),
    output: yield* output(session)
  }
  const truncated =
    locals.length > limits.locals
      ? [{ path: "data.locals", shown: limits.locals, total: locals.length, hints: [Hint.call("locals", {})] }]
      : []
  if (index === start) yield* RecordedReport.record(session, view.stop, data, size.context)
  return { data, truncated }
})

/** Composes the report of the session's current state. Fails for a lost session. */
export const compose = (session: Session, size: Size): Effect.Effect<Report, Failure, SourceFiles | FileReader> =>
  Effect.andThen(session.notes.readOutput, composed(session, size))

const composed = (session: Session, size: Size): Effect.Effect<Report, Failure, SourceFiles | FileReader> =>
  Effect.suspend(() => {
    const { state } = session.log.snapshot
    if (state === "lost") return Effect.fail(lost(session))
    if (state === "running" || state === "starting" || state === "none") {
      const event = session.isLoaded() ? ("loaded" as const) : ("running" as const)
      return Effect.map(output(session), (summary): Report => ({ data: { event, output: summary }, truncated: [] }))
    }
    if (state !== "stopped") return Effect.map(ended(session), (data): Report => ({ data, truncated: [] }))
    return Effect.flatMap(session.view, (view) => reportStop(session, view, size)).pipe(
      // Another client resumed or ended the program meanwhile. Report the new state.
      Effect.catchTag("NotStopped", () => composed(session, size)),
      Effect.catch((error) => (session.log.snapshot.state === "stopped" ? Effect.fail(error) : composed(session, size)))
    )
  })

/** True if the program has left a stop. */
const hasLeft = ({ log: { snapshot } }: Session, at: Snapshot.Snapshot): boolean =>
  at.state === "stopped" && snapshot.resumes !== at.resumes

/** Returns where the session is after it has left a stop, and who resumed it last. */
const movedOn = ({ log }: Session, at: Snapshot.Snapshot): Stop.MovedOn => {
  const { state, stop } = log.snapshot
  const { resumed } = log
  return {
    stop,
    ...(state === "stopped" || state === "none" || state === "starting" ? {} : { state }),
    ...(resumed === undefined || resumed.stop < at.stop ? {} : { by: resumed.actor })
  }
}

/** Reports a stop that the program has left before it was read. */
const past = (session: Session, at: Snapshot.Snapshot): Report => {
  const { breakpoints = [], description, raw_reason, reason = "other", signal, thread } = at.stopped ?? {}
  const data: Stop.StopReport = {
    event: "stopped",
    reason,
    ...(raw_reason === undefined ? {} : { raw_reason }),
    ...(description === undefined ? {} : { description: session.secrets.inText(description) }),
    ...(reason === "signal" && signal !== undefined ? { signal } : {}),
    breakpoints,
    ...(thread === undefined ? {} : { thread: { id: thread } })
  }
  return { data, truncated: [] }
}

/**
 * Composes the report of a state that the session had, for the call that caused or awaited it. If the program has left the stop
 * meanwhile, the report says so.
 */
export const composeAt = (
  session: Session,
  size: Size,
  at: Snapshot.Snapshot
): Effect.Effect<Report, Failure, SourceFiles | FileReader> => {
  if (at.state !== "stopped") return compose(session, size)
  const described = ({ data, truncated }: Report): Report => ({
    data: hasLeft(session, at) ? { ...data, moved_on: movedOn(session, at) } : data,
    truncated,
    at
  })
  const own = Effect.flatMap(session.view, (view) =>
    view.stop === at.stop ? reportStop(session, view, size) : Effect.fail(new Errors.NotStopped({}))
  ).pipe(
    Effect.map(described),
    Effect.catch((error) => {
      if (hasLeft(session, at)) return Effect.succeed(described(past(session, at)))
      return error._tag !== "NotStopped" && session.log.snapshot.state === "stopped"
        ? Effect.fail(error)
        : composed(session, size)
    })
  )
  return Effect.andThen(session.notes.readOutput, own)
}

/** Returns the error of a lost session. */
const lost = (session: Session): Errors.SessionLost =>
  new Errors.SessionLost({ reason: session.log.snapshot.reason ?? "the debugger is gone" })
