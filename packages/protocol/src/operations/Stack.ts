/**
 * Operations on threads and stack frames: show them and select one. A selection lasts until the program resumes.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import { Frame, SourceLines, Thread } from "../model/Frame.ts"
import { Position } from "../model/Location.ts"
import * as Operation from "../Operation.ts"
import { FoldedFrames, StoppedIn } from "../model/Stop.ts"
import { stopped } from "./StopErrors.ts"

/** Shows the stack of one thread by pages (DAP `stackTrace`). */
export class Backtrace extends Operation.make("backtrace", () => ({
  summary: "Show the stack",
  description:
    "Shows the frames of a stopped thread by pages, innermost first. A negative limit shows the outermost frames. Frames of a language's runtime are folded, unless all_frames is set.",
  effect: "observe",
  effects: { match: "observe", locals: "observe", args: "observe", all_frames: "observe", all_threads: "observe" },
  frequency: "basic",
  everyday: ["thread", "all_threads", "session"],
  payload: {
    limit: Operation.withDefault(Field.integer(-1000, 1000, "Most frames to show; negative: the outermost ones"), 20),
    start: Field.start,
    match: Field.optionalText("REGEX", "Only frames whose function or file matches"),
    locals: Field.flag("Show the local variables of each frame"),
    args: Field.flag("Show the arguments of each frame"),
    reveal: Field.reveal,
    thread: Field.thread,
    all_frames: Field.flag("Show frames of the runtime too"),
    all_threads: Field.flag("Show the stacks of all threads"),
    session: Field.session
  },
  positional: ["limit"],
  data: Schema.Struct({
    thread: Thread,
    frames: Schema.Array(Frame),
    total: Schema.optionalKey(Schema.Int),
    hidden: Schema.Int,
    left_out: Schema.optionalKey(Schema.Array(FoldedFrames)),
    stack_cut: Schema.optionalKey(Schema.Boolean),
    selected: Schema.optionalKey(Schema.Int),
    threads: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          thread: Thread,
          frames: Schema.Array(Frame),
          hidden: Schema.Int,
          left_out: Schema.optionalKey(Schema.Array(FoldedFrames)),
          stack_cut: Schema.optionalKey(Schema.Boolean)
        })
      )
    )
  }),
  errors: [...stopped, Errors.Usage],
  examples: [
    { title: "Show the innermost frames", input: {} },
    { title: "Show the outermost frames", input: { limit: -3 } },
    { title: "Show the next page", input: { start: 20 } }
  ]
})) {}

/**
 * A thread and its state. `label` is its name in texts; `current` marks the selected thread. `location` is its innermost
 * frame with source of the user; `stopped_in` is set if the thread stopped below it.
 */
export class ThreadStatus extends Model.of<ThreadStatus>()(
  Schema.Struct(
    Model.extended(Thread, {
      label: Schema.String,
      state: Schema.Literals(["stopped", "running"]),
      current: Schema.Boolean,
      stop_reason: Schema.optionalKey(Schema.String),
      location: Schema.optionalKey(Position),
      stopped_in: Schema.optionalKey(StoppedIn)
    })
  ).annotate({ identifier: "ThreadStatus" })
) {}

/** A frame with the source around its line. `end` is set if no shown frame is further in that direction. */
export class FrameView extends Model.of<FrameView>()(
  Schema.Struct({
    frame: Frame,
    thread: Schema.Int,
    end: Schema.optionalKey(Schema.Literals(["innermost", "outermost"])),
    source: Schema.optionalKey(SourceLines)
  }).annotate({ identifier: "FrameView" })
) {}

/** Lists threads with their locations (LLDB `thread list`, else DAP `threads` and `stackTrace`). */
export class Threads extends Operation.make("threads", () => ({
  summary: "List the threads",
  description:
    "Lists the threads of the program with name, state, stop reason and location, and marks the selected one.",
  effect: "observe",
  effects: { match: "observe", stopped: "observe" },
  frequency: "common",
  payload: {
    match: Field.optionalText("TEXT", "Only threads whose name, function or file contains it"),
    stopped: Field.flag("Only stopped threads"),
    start: Field.start,
    limit: Field.limit(1000, 50, "Most threads to show"),
    session: Field.session
  },
  data: Schema.Struct({ threads: Schema.Array(ThreadStatus), total: Schema.Int }),
  errors: Errors.selection,
  examples: [
    { title: "List all threads", input: {} },
    { title: "List those that wait in a futex", input: { match: "futex" } }
  ]
})) {}

/** Shows or selects a thread. */
export class SelectThread extends Operation.make("thread", () => ({
  summary: "Show or select a thread",
  description: "With an id, selects a thread until the program resumes. Without one, shows the selected thread.",
  effect: "observe",
  effects: { id: "observe" },
  family: "frame",
  payload: {
    id: Operation.optional(
      Schema.Int.annotate({
        description: "Number or id of a thread, as threads lists it",
        ...FieldFacts.placeholder("THREAD")
      })
    ),
    session: Field.session
  },
  positional: ["id"],
  data: Schema.Struct({ thread: ThreadStatus }),
  errors: [...Errors.selection, Errors.NotStopped, Errors.ThreadNotFound],
  examples: [
    { title: "Show the selected thread", input: {} },
    { title: "Select another one", input: { id: 4712 } }
  ]
})) {}

/** Shows or selects a frame. */
export class SelectFrame extends Operation.make("frame", () => ({
  summary: "Show or select a frame",
  description:
    "With a number, a reference such as @f2 or a function, selects a frame of the selected thread until the program resumes. Without one, shows the selected frame.",
  effect: "observe",
  effects: { index: "observe", function: "observe" },
  payload: {
    index: Operation.optional(
      Schema.NonEmptyString.check(
        Schema.isPattern(/^(?:\d{1,7}|[@:]f\d+)$/, { message: "Write a frame as 2 or @f2" })
      ).annotate({ description: "Frame number or reference", ...FieldFacts.placeholder("FRAME") })
    ),
    function: Field.optionalText("NAME", "Select the innermost frame of this function"),
    session: Field.session
  },
  positional: ["index"],
  data: FrameView,
  errors: [...stopped, Errors.StaleReference],
  examples: [
    { title: "Show the selected frame", input: {} },
    { title: "Select the caller", input: { index: "1" } }
  ]
})) {}

/** The facts of the operations that select a calling or a called frame. */
const selectionFacts = {
  effect: "observe",
  effects: {},
  family: "frame",
  repeats: "same",
  payload: {
    count: Operation.withDefault(Field.integer(1, 1_000_000, "Number of frames"), 1),
    session: Field.session
  },
  positional: ["count"],
  data: FrameView,
  errors: stopped
} as const

/** Selects a caller. */
export class Up extends Operation.make("up", () => ({
  ...selectionFacts,
  summary: "Select the calling frame",
  description:
    "Selects a caller: the frame count levels further out, among the shown frames. If there are fewer, selects the outermost one and says so.",
  examples: [{ title: "Select the caller", input: {} }]
})) {}

/** Selects a callee. */
export class Down extends Operation.make("down", () => ({
  ...selectionFacts,
  summary: "Select the called frame",
  description:
    "Selects a called frame: count levels further in, among the shown frames. If there are fewer, selects the innermost one and says so.",
  examples: [{ title: "Select the called function", input: {} }]
})) {}
