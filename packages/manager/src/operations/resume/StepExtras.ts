/**
 * Additions to stop reports: the function that a step left, the return value after `finish`, the next instruction after
 * `stepi` and `nexti`. They are absent if the debugger does not know them.
 */
import type { Frame, Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Connection, Failure } from "../../ports/Backend.ts"
import type { Report } from "../stops/StopReport.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"

/** Requests something of the innermost frame of the stopped thread, if the stop is still that of the report. */
const ask = <A>(
  session: Session,
  { data }: Report,
  question: (connection: Connection, frame: number) => Effect.Effect<A | undefined, Failure>
): Effect.Effect<A | undefined> =>
  Effect.gen(function* () {
    if (data.event !== "stopped" || data.moved_on !== undefined || data.thread === undefined) return undefined
    const view = yield* session.view
    const { handle } = yield* view.frame(data.thread.id, 0)
    const answer = yield* question(yield* session.connection, handle)
    yield* view.check
    return answer
  }).pipe(Effect.option, Effect.map(Option.getOrUndefined))

/** Returns the id of the named thread, else of the one that stopped. */
const steppingThread = ({ log }: Session, view: StopView, thread: number | undefined) =>
  view.threadFor(thread, log.snapshot.stopped?.thread)

/** A line of source. */
export interface SourceLine {
  readonly file: string
  readonly line: number
}

/** Returns the line of a frame; undefined if it has no source. */
export const lineOf = (frame: Frame.Frame | undefined): SourceLine | undefined =>
  frame?.file === undefined || frame.line === undefined ? undefined : { file: frame.file, line: frame.line }

/** Adds `ran` to the report of a step: the line where the step began. */
export const withRan = <R extends Report>(report: R, began: SourceLine | undefined): R => {
  const { data } = report
  if (data.reason !== "step" || began === undefined) return report
  const { file, line } = began
  return { ...report, data: { ...data, ran: [{ line, ...(file === data.location?.file ? {} : { file }) }] } }
}

/** Adds `return_value` after `finish`. `left` is the function that returned, whose name may be secret. */
export const withReturn = <R extends Report>(
  session: Session,
  report: R,
  left: string | undefined
): Effect.Effect<R> => {
  if (report.data.reason !== "finish") return Effect.succeed(report)
  return Effect.map(
    ask(session, report, (connection, frame) => connection.returned(frame)),
    (value) => {
      if (value === undefined) return report
      const { handle: _, ...shown } = value
      const inside = left !== undefined && session.secrets.named(left)
      const return_value: Variable.Variable = session.secrets.shown(shown, inside)
      return { ...report, data: { ...report.data, return_value } }
    }
  )
}

/** A function of a thread, and the number of frames from it to the end of the stack. */
interface Depth {
  readonly function: string
  readonly frames: number
  /** The debugger finds the caller of the function. */
  readonly hasCaller: boolean
  /** The caller was read without the debugger. */
  readonly callerIsUnlisted: boolean
}

/** Maximum number of frames that are counted; the report of the stop has read them already. */
const counted = 20

/** Returns the depth of a thread's stack from a frame on, by default the innermost one; undefined if it is unknown. */
export const depthOf = (session: Session, thread: number | undefined, index = 0): Effect.Effect<Depth | undefined> =>
  Effect.gen(function* () {
    const view = yield* session.view
    const id = yield* steppingThread(session, view, thread)
    const { frames, total } = yield* view.stack(id, 0, Math.max(counted, index + 2))
    const from = frames[index]
    if (from === undefined || total === undefined) return undefined
    const callerIsUnlisted = frames[index + 1]?.unlisted === true
    const hasCaller = total > index + 1 && !callerIsUnlisted
    return { function: from.function, frames: total - index, hasCaller, callerIsUnlisted }
  }).pipe(Effect.option, Effect.map(Option.getOrUndefined))

/**
 * Adds `returned_from` if a step has left its function. A debugger may stop there in the middle of the caller's line, whose
 * rest has not run yet (LLDB), or at the next line (GDB).
 */
export const withReturnedFrom = Effect.fnUntraced(function* <R extends Report>(
  session: Session,
  report: R,
  before: Depth | undefined
) {
  if (before === undefined || report.data.reason !== "step" || report.data.moved_on !== undefined) return report
  const after = yield* depthOf(session, report.data.thread?.id)
  return after === undefined || after.frames >= before.frames
    ? report
    : { ...report, data: { ...report.data, returned_from: before.function } }
})

/** Adds `instruction` to the report. */
export const withInstruction = <R extends Report>(session: Session, report: R): Effect.Effect<R> =>
  Effect.map(
    ask(session, report, (connection, frame) => connection.instruction(frame)),
    (instruction) => (instruction === undefined ? report : { ...report, data: { ...report.data, instruction } })
  )
