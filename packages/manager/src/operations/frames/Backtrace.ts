/**
 * The handler of `backtrace`: the frames of threads by pages, without those of runtimes.
 */
import { type Answer, Errors, type Frame, Hint, type Operations, Pattern } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { Failure } from "../../ports/Backend.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as Selection from "./Selection.ts"

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

/** Handles `backtrace`. */
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
