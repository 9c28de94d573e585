/**
 * Composes what a resuming operation answers with: where the program is now, in one report.
 *
 * Reads only; the session's memory of changed values and reported output is all that it moves on.
 */
import { type Answer, type Breakpoint, Errors, type Event, Hint, type Stop, type Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Failure } from "../ports/Backend.ts"
import * as Catchpoints from "./Catchpoints.ts"
import type { Session } from "../session/Session.ts"
import { SourceFiles } from "../model/SourceFiles.ts"
import type { Located, StopView } from "../session/StopView.ts"
import * as Watchpoints from "./Watchpoints.ts"

/** How large the report shall be; `lines` of source either side, `frame` is the one to show. */
export interface Size {
  readonly context: Stop.Detail
  readonly lines: number
  readonly frame?: number
  /** The thread to show; the one that stopped when left out. */
  readonly thread?: number
}

/** A report with what had to be left out of it. */
export interface Composed {
  readonly data: Stop.StopReport
  readonly truncated: ReadonlyArray<Answer.Truncation>
}

/** How much of a stop each size shows. */
const most = {
  brief: { locals: 8, frames: 5 },
  full: { locals: 1000, frames: 20 }
} as const

/** Longest last line of output in a report, in characters. */
const tailLength = 200

const isProgramOutput = (event: Event.Event): event is Extract<Event.Event, { readonly _tag: "Output" }> =>
  event._tag === "Output" && event.channel !== "console"

const lastLine = (session: Session, from: number): string | undefined => {
  let text = ""
  const { entries } = session.log.journal.since(from)
  for (let i = entries.length - 1; i >= 0 && text.length < tailLength; i--) {
    const event = entries[i]?.event
    if (event === undefined || !isProgramOutput(event)) continue
    text = event.text + text
    if (text.trimEnd().includes("\n")) break
  }
  const line = text.trimEnd().split("\n").at(-1)
  return line === undefined || line === "" ? undefined : line.slice(-tailLength)
}

/** Output since the previous report; taking it makes this the previous report. */
export const output = (session: Session): Stop.OutputSummary => {
  const bytes = session.log.journal.outputBytes - session.reportedBytes
  session.reportedBytes = session.log.journal.outputBytes
  const tail = bytes === 0 ? undefined : lastLine(session, 1)
  return { bytes, next: session.log.journal.next, ...(tail === undefined ? {} : { tail }) }
}

const ended = (session: Session): Stop.StopReport => {
  const { state, exit_code, signal } = session.log.snapshot
  return {
    event: state === "exited" ? "exited" : state === "detached" ? "detached" : "terminated",
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(signal === undefined ? {} : { signal }),
    output: output(session)
  }
}

/** A module in a report is known by its file's name; `modules` has the whole path. */
const baseName = (module: string): string => module.slice(module.lastIndexOf("/") + 1)

const frameKey = (thread: number, frame: Located, depth: number | undefined) =>
  `${thread}/${frame.frame.function}/${depth === undefined ? (frame.activation ?? "") : depth - frame.frame.index}`

/** Variables of a frame with those marked that changed since the frame was seen at an earlier stop. */
export const marked = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  thread: number,
  frame: Located,
  variables: ReadonlyArray<Variable.Variable>
) {
  const { total } = yield* view.stack(thread, 0, 20)
  return session.changes.mark(view.stop, frameKey(thread, frame, total), variables)
})

/** The earlier stop at which a frame was seen, with the values of then. */
export const before = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  thread: number,
  frame: Located,
  since?: number
) {
  const { total } = yield* view.stack(thread, 0, 20)
  return session.changes.before(frameKey(thread, frame, total), since)
})

const events: { readonly [name: string]: Stop.StopReason } = {
  fork: "fork",
  vfork: "fork",
  exec: "exec",
  load: "library",
  unload: "library"
}

/** The reason of a stop at a catchpoint on what a program asks the system for. */
const caught = (hit: ReadonlyArray<Breakpoint.Breakpoint>): Stop.StopReason | undefined => {
  const one = hit.find(({ kind }) => kind === "catch")
  return one !== undefined && Object.hasOwn(events, one.requested.text) ? events[one.requested.text] : undefined
}

/** What is known of the exception or signal of the stop. */
const exceptionOf = Effect.fnUntraced(function* (session: Session, view: StopView, thread: number | undefined) {
  const reason = session.log.snapshot.stopped?.reason
  if (thread === undefined || (reason !== "exception" && reason !== "signal")) return undefined
  const found = yield* Catchpoints.about(session, view, thread).pipe(Effect.option)
  return Option.isSome(found) ? found.value.exception : undefined
})

const inside = Effect.fnUntraced(function* (session: Session, view: StopView, size: Size) {
  const sources = yield* SourceFiles
  const stopped = session.log.snapshot.stopped
  const threads = yield* view.threads
  const thread = threads.find((candidate) => candidate.id === (size.thread ?? stopped?.thread)) ?? threads[0]
  const others = threads.filter((candidate) => candidate !== thread && stopped?.threads.includes(candidate.id))
  const limits = most[size.context === "full" ? "full" : "brief"]
  const page = thread === undefined ? { frames: [] } : yield* view.stack(thread.id, 0, 20)
  const index = size.frame ?? 0
  const located =
    thread === undefined
      ? Option.none()
      : yield* view.frame(thread.id, index).pipe(
          Effect.asSome,
          Effect.catchTag("FrameNotFound", () => Effect.succeed(Option.none()))
        )
  const shown = Option.map(located, (found) => found.frame)
  const visible = page.frames.filter((frame) => frame.hidden !== true)
  const hidden = page.frames.length - visible.length
  const { file, line } = Option.getOrElse(shown, () => ({ file: undefined, line: undefined }))
  const wantsMore = size.context === "brief" || size.context === "full"
  const source =
    wantsMore && file !== undefined && line !== undefined
      ? yield* sources.window(file, line, size.context === "full" ? Math.max(size.lines, 5) : size.lines)
      : Option.none()
  const stale =
    Option.isSome(source) &&
    file !== undefined &&
    !session.staleTold.has(file) &&
    (yield* sources.newer(file, session.launch.program))
  if (stale) session.staleTold.add(file)
  let locals: ReadonlyArray<Variable.Variable> = []
  if (wantsMore && Option.isSome(located) && thread !== undefined) {
    const all = yield* view.locals(located.value)
    locals = session.changes.mark(view.stop, frameKey(thread.id, located.value, page.total), all)
  }
  const watch = Option.isSome(located) ? yield* Watchpoints.seen(session, view, located.value) : undefined
  const exception = yield* exceptionOf(session, view, thread?.id)
  yield* view.check
  const hit = hitBreakpoints(session)
  const data: Stop.StopReport = {
    event: "stopped",
    ...(stopped === undefined ? {} : { reason: caught(hit) ?? stopped.reason, raw_reason: stopped.raw_reason }),
    ...(stopped?.description === undefined || caught(hit) !== undefined
      ? {}
      : { description: session.secrets.inText(stopped.description) }),
    breakpoints: hit.map(({ id }) => id),
    ...(watch === undefined ? {} : { watch }),
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
    // A frame's module is said where it is another than that of the place.
    frames: visible.slice(0, limits.frames).map(({ column: _, address: __, module, ...frame }) => ({
      ...frame,
      ...(module === undefined || module === Option.getOrUndefined(shown)?.module ? {} : { module: baseName(module) })
    })),
    ...(hidden === 0 ? {} : { hidden_frames: hidden }),
    ...Option.match(source, { onNone: () => ({}), onSome: (lines) => ({ source: lines }) }),
    ...(stale ? { stale } : {}),
    ...(wantsMore ? { locals: locals.slice(0, limits.locals) } : {}),
    ...(view.evaluations.length === 0 ? {} : { evaluations: view.evaluations }),
    ...(view.commands.length === 0 ? {} : { commands: view.commands }),
    ...(exception === undefined ? {} : { exception }),
    output: output(session)
  }
  const truncated =
    locals.length > limits.locals
      ? [{ path: "data.locals", shown: limits.locals, total: locals.length, hints: [Hint.call("locals", {})] }]
      : []
  return { data, truncated }
})

/** The report of where a session stands now. A session that is lost fails. */
export const compose = (session: Session, size: Size): Effect.Effect<Composed, Failure, SourceFiles> =>
  Effect.andThen(
    Effect.suspend(() => session.catchUp),
    composed(session, size)
  )

const composed = (session: Session, size: Size): Effect.Effect<Composed, Failure, SourceFiles> =>
  Effect.suspend(() => {
    const { state } = session.log.snapshot
    if (state === "lost") return Effect.fail(lost(session))
    if (state === "running" || state === "starting" || state === "none") {
      const event = session.held() ? ("loaded" as const) : ("running" as const)
      return Effect.succeed<Composed>({ data: { event, output: output(session) }, truncated: [] })
    }
    if (state !== "stopped") return Effect.succeed<Composed>({ data: ended(session), truncated: [] })
    return Effect.flatMap(session.view, (view) => inside(session, view, size)).pipe(
      // Resumed or ended by somebody else while we looked: say how it stands then.
      Effect.catchTag("NotStopped", () => composed(session, size)),
      Effect.catch((error) => (session.log.snapshot.state === "stopped" ? Effect.fail(error) : composed(session, size)))
    )
  })

/** The names under which breakpoints are spoken of in a stop report. */
const hitBreakpoints = (session: Session): ReadonlyArray<Breakpoint.Breakpoint> => {
  const hit = session.log.snapshot.stopped?.breakpoints ?? []
  return [...session.breakpoints.list(), ...session.spent()].filter(
    ({ id }, index, all) => hit.includes(id) && all.findIndex((other) => other.id === id) === index
  )
}

/** The error that a lost session answers with. */
export const lost = (session: Session): Errors.SessionLost =>
  new Errors.SessionLost({ reason: session.log.snapshot.reason ?? "the debugger is gone" })
