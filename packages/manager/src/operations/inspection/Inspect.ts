/**
 * Handlers that inspect a stopped program: `context`, `backtrace`, `eval`, `raw`.
 */
import {
  type Answer,
  Errors,
  Field,
  type Frame,
  Hint,
  type Operations,
  Pattern,
  type Snapshot
} from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Failure } from "../../ports/Backend.ts"
import type { FileReader } from "../../ports/FileReader.ts"
import * as StopReport from "../stops/StopReport.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as Selection from "../frames/Selection.ts"
import * as OutputReader from "../OutputReader.ts"
import { expressionOf, isReference } from "../../session/values/References.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"
import type { SourceFiles } from "../../model/sources/SourceFiles.ts"
import * as ForeignSyntax from "../names/ForeignSyntax.ts"
import { shortened, withMembers } from "../values/ValueMembers.ts"
import { evaluate } from "../values/Values.ts"
import * as UnknownNames from "../names/UnknownNames.ts"

/** Answer of a handler, without the envelope. `at` is the state that it describes, if the session may have left it. */
export interface Reply<Data> {
  readonly data: Data
  readonly truncated?: ReadonlyArray<Answer.Truncation>
  readonly warnings?: ReadonlyArray<Answer.Warning>
  readonly at?: Snapshot.Snapshot
}

/** Maximum number of members of a local that are read. */
const maxMembers = 20

/** Size of the recent output in bytes. */
const maxRecent = 4096

/** `context` */
export const context = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"context">
): Effect.fn.Return<
  Reply<Operations.Data<"context">>,
  Failure | Errors.FrameNotFound | Errors.StaleReference,
  SourceFiles | FileReader
> {
  const recent = OutputReader.newest(payload.reveal ? session.log.journal : session.maskedOutput, maxRecent).slice(-5)
  const stopped = session.log.snapshot.state === "stopped"
  const includes = (section: (typeof payload.sections)[number], byDefault: boolean) =>
    payload.sections.length === 0 ? byDefault : payload.sections.includes(section)
  const chosen = stopped
    ? yield* session.view.pipe(
        Effect.flatMap((view) =>
          Effect.gen(function* () {
            const { at, thread } = yield* Selection.locate(session, view, payload)
            if (!includes("registers", false)) return { thread: thread.id, frame: at.frame.index }
            const [general] = yield* view.registers(at)
            return { thread: thread.id, frame: at.frame.index, registers: general?.registers ?? [] }
          })
        ),
        Effect.catchTag(["NotStopped", "ThreadNotFound", "ProcessEnded", "NotRunning"], () => Effect.succeed(undefined))
      )
    : undefined
  const { data, truncated } = yield* StopReport.compose(session, {
    context: "full",
    lines: payload.lines,
    ...(chosen === undefined ? {} : { frame: chosen.frame, thread: chosen.thread })
  })
  const { source, frames, hidden_frames, ...rest } = data
  const { locals: flat, ...place } = rest
  const { depth = 0 } = payload
  const locals =
    flat === undefined || depth < 1 || !includes("locals", true)
      ? flat
      : yield* Effect.flatMap(session.view, (view) =>
          Effect.forEach(flat, (local) => withMembers(session, view, local, { depth, items: maxMembers }))
        ).pipe(
          // The program was resumed or has ended meanwhile. The values that were read are kept.
          Effect.catchTag(["NotStopped", "StaleReference", "ProcessEnded", "NotRunning", "SessionLost"], () =>
            Effect.succeed(flat)
          )
        )
  const all: Operations.Data<"context"> = {
    ...place,
    ...(includes("stack", true) && frames !== undefined ? { frames } : {}),
    ...(includes("stack", true) && hidden_frames !== undefined ? { hidden_frames } : {}),
    ...(includes("source", true) && source !== undefined ? { source } : {}),
    ...(includes("locals", true) && locals !== undefined ? { locals } : {}),
    ...(chosen?.registers === undefined ? {} : { registers: chosen.registers }),
    ...(includes("breakpoints", false) ? { set_breakpoints: session.breakpoints.list() } : {}),
    recent_output: includes("output", true) ? recent : []
  }
  return { data: all, truncated: includes("locals", true) ? truncated : [] }
})

const badPattern = ({ problem }: Pattern.Invalid) =>
  new Errors.Usage({ problem, near: [], remedies: [Hint.again("backtrace", { match: "parse|lex" })] })

/** Number of threads whose stacks are read at a time. */
const concurrentStacks = 16

/** Returns the index at which the `count` outermost frames of a thread begin. */
const outermostStart = Effect.fnUntraced(function* (view: StopView, thread: Frame.Thread, count: number) {
  // A debugger that does not know the depth of a stack is read page by page.
  let end = (yield* view.stack(thread.id, 0, 1)).total
  for (let from = 0; end === undefined; from += searchPage) {
    const { frames, total } = yield* view.stack(thread.id, from, searchPage)
    end = total ?? (frames.length < searchPage ? from + frames.length : undefined)
  }
  return Math.max(0, end - count)
})

/** Maximum number of runtime frames at the outer end of a stack. */
const maxHidden = 20

/** Number of frames in one read when searching the end of a stack. */
const searchPage = 1000

/** Adds the requested variables to a frame. */
const withVariables = Effect.fnUntraced(function* (
  view: StopView,
  names: (frame: number) => Effect.Effect<ReadonlyArray<string>, Failure>,
  thread: Frame.Thread,
  frame: Frame.Frame,
  payload: Operations.Payload<"backtrace">
) {
  if (!payload.locals && !payload.args) return frame
  if (frame.file === undefined) return frame
  const at = yield* view
    .frame(thread.id, frame.index)
    .pipe(Effect.catchTag("FrameNotFound", () => Effect.succeed(undefined)))
  if (at === undefined) return frame
  const all = yield* view.locals(at)
  if (payload.locals && payload.args) return { ...frame, locals: all }
  const args = yield* names(at.handle).pipe(Effect.catchTag("Unsupported", () => Effect.succeed(undefined)))
  if (args === undefined) return { ...frame, locals: all }
  return { ...frame, locals: all.filter(({ name }) => args.includes(name) === payload.args) }
})

/** Returns a page of a thread's stack without hidden frames, except labels and the selected one. */
const stackOf = Effect.fnUntraced(function* (
  view: StopView,
  names: (frame: number) => Effect.Effect<ReadonlyArray<string>, Failure>,
  thread: Frame.Thread,
  payload: Operations.Payload<"backtrace">,
  pattern: Pattern.Pattern | undefined,
  selected?: number
) {
  const most = Math.abs(payload.limit)
  // Hidden frames at the outer end do not count.
  const count = payload.limit > 0 || payload.all_frames ? most : most + maxHidden
  const start = payload.limit > 0 ? payload.start : yield* outermostStart(view, thread, count)
  const page = yield* view.stack(thread.id, start, count)
  const isShown = (frame: Frame.Frame) =>
    payload.all_frames || frame.hidden !== true || frame.label === true || frame.index === selected
  const unfolded = page.frames.filter(isShown)
  const visible = payload.limit > 0 ? unfolded : unfolded.slice(-most)
  const matching =
    pattern === undefined
      ? visible
      : yield* Effect.mapError(
          Pattern.filter(pattern, visible, ({ file = "", function: name }) => [name, file]),
          badPattern
        )
  const frames = yield* Effect.forEach(matching, (frame) => withVariables(view, names, thread, frame, payload))
  const folded = page.frames.filter((frame) => !isShown(frame))
  return {
    page,
    start,
    shown: {
      thread,
      frames,
      hidden: folded.length,
      ...(folded.length === 0 ? {} : { left_out: RuntimeFrames.countByRuntime(folded) }),
      ...(page.cut === true ? { stack_cut: true } : {})
    }
  }
})

/** `backtrace` */
export const backtrace = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"backtrace">) {
  const view = yield* session.view
  const thread = yield* Selection.threadOf(session, view, payload.thread)
  const text = payload.match
  const matches = text === undefined ? undefined : yield* Effect.mapError(Pattern.compile(text), badPattern)
  if (payload.limit === 0) {
    return yield* new Errors.Usage({
      problem: "--limit 0 shows nothing",
      near: [],
      remedies: [Hint.again("backtrace", { limit: 5 })]
    })
  }
  const { argumentNames } = (yield* session.connection).inspection
  if (payload.all_threads && payload.start === 0 && payload.limit > 0) yield* view.prefetchStacks(payload.limit)
  const selected = yield* Selection.selectedIndex(session, view, thread.id)
  const { page, shown, start } = yield* stackOf(view, argumentNames, thread, payload, matches, selected)
  const end = start + page.frames.length
  const more = payload.limit > 0 && (page.total === undefined ? page.frames.length === payload.limit : end < page.total)
  const truncated: ReadonlyArray<Answer.Truncation> = more
    ? [
        {
          path: "data.frames",
          shown: page.frames.length,
          ...(page.total === undefined ? {} : { total: page.total }),
          hints: [Hint.again("backtrace", { start: end })]
        }
      ]
    : []
  const threads = payload.all_threads
    ? yield* Effect.forEach(
        yield* view.threads,
        (one) => stackOf(view, argumentNames, one, payload, matches, one.id === thread.id ? selected : undefined),
        {
          concurrency: concurrentStacks
        }
      )
    : undefined
  return {
    data: {
      ...shown,
      selected,
      ...(page.total === undefined ? {} : { total: page.total }),
      ...(threads === undefined ? {} : { threads: threads.map((one) => one.shown) })
    },
    truncated
  }
})

/** `eval` */
export const evaluateAny = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"eval">) {
  const view = yield* session.view
  const { expression: written } = payload
  const known = isReference(written) ? yield* session.references.resolve(written, view.stop) : undefined
  // The expression of a value belongs to the frame in which it was read.
  const { at } = yield* Selection.locate(session, view, known === undefined ? payload : { frame: known.within })
  yield* ForeignSyntax.check(session, view.stop, payload.expression)
  const expression = known === undefined ? payload.expression : yield* expressionOf(known)
  const value = yield* evaluate(view, at, expression, "any", Field.millis(payload.timeout)).pipe(
    Effect.catchTag("EvaluationFailed", (error) => UnknownNames.missing(view, at, expression, error))
  )
  yield* view.recordPrinted(at, expression, value)
  return { data: { value: shortened(value, payload.max_string) } }
})

/** Returns the debugger's handle of the selected frame; undefined if the stack cannot be read. */
const selectedHandle = (session: Session, view: StopView) =>
  Selection.frameOf(session, view, {}).pipe(
    Effect.map(({ handle }) => handle),
    Effect.orElseSucceed(() => undefined)
  )

/** `raw`: runs in the selected frame, which reads of other frames do not change. */
export const raw = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"raw">) {
  if (/[\r\n\0]/.test(payload.command)) {
    return yield* new Errors.Usage({
      problem: "one line at a time",
      near: [],
      remedies: [Hint.call("raw", { command: "image list" })]
    })
  }
  const connection = yield* session.connection
  const before = session.log.snapshot
  const view = yield* Effect.option(session.view)
  const text = yield* connection
    .command(
      payload.command,
      Option.isSome(view) ? yield* selectedHandle(session, view.value) : undefined,
      Field.millis(payload.timeout)
    )
    .pipe(
      Effect.mapError((error) =>
        error._tag === "AdapterError" && error.remedies === undefined
          ? Object.assign(error, { remedies: [Hint.call("raw", { command: "help" }, "lists the debugger's commands")] })
          : error
      ),
      // The command may have changed values.
      Effect.ensuring(Effect.sync(() => (Option.isSome(view) ? view.value.forget() : undefined)))
    )
  const after = session.log.snapshot
  const isSameStop = after.state === before.state && after.stop === before.stop
  if (Option.isSome(view) && isSameStop && connection.selectedBy !== undefined) {
    const selected = yield* connection.selectedBy(payload.command)
    const viewpoint = yield* session.viewpoint
    if (selected !== undefined) viewpoint.select(view.value.stop, selected.thread, selected.frame)
  }
  return {
    data: { output: text, state_changed: !isSameStop }
  } satisfies Reply<Operations.Data<"raw">>
})
