/**
 * Operations that choose what the others look at: threads and frames of a stopped program. What was chosen holds until
 * the program is set going again.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import { Frame, SourceLines, Thread } from "../Frame.ts"
import { Position } from "../Location.ts"
import * as Operation from "../Operation.ts"

const stopped = [...Errors.selection, Errors.NotStopped, Errors.ThreadNotFound, Errors.FrameNotFound] as const

/** A thread with what it does. `label` is what text calls it, `current` marks the selected one. */
export const ThreadStatus = Schema.Struct({
  ...Thread.fields,
  label: Schema.String,
  state: Schema.Literals(["stopped", "running"]),
  current: Schema.Boolean,
  stop_reason: Schema.optionalKey(Schema.String),
  location: Schema.optionalKey(Position)
}).annotate({ identifier: "ThreadStatus" })
/** A thread with what it does. */
export type ThreadStatus = typeof ThreadStatus.Type

/** A frame with the source around it. */
export const FrameView = Schema.Struct({
  frame: Frame,
  thread: Schema.Int,
  source: Schema.optionalKey(SourceLines)
}).annotate({ identifier: "FrameView" })
/** A frame with the source around it. */
export type FrameView = typeof FrameView.Type

/** Lists threads with their places (LLDB `thread list`, else DAP `threads`, `stackTrace`). */
export const Threads = Operation.make("threads", {
  summary: "List the threads",
  description: "Lists the threads of the program with what each does and where it stands; marks the selected one.",
  tier: "observe",
  frequency: "common",
  payload: {
    match: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Only those whose name, function or file contains this" })
    ),
    stopped: Operation.withDefault(Schema.Boolean.annotate({ description: "Only those that stand still" }), false),
    start: Field.start,
    limit: Field.limit(1000, 50, "Most threads to show"),
    session: Field.session
  },
  data: Schema.Struct({ threads: Schema.Array(ThreadStatus), total: Schema.Int }),
  errors: Errors.selection,
  examples: [
    { title: "All of them", input: {} },
    { title: "Those that wait in a futex", input: { match: "futex" } }
  ]
})

/** Shows or selects a thread. */
export const SelectThread = Operation.make("thread", {
  summary: "Show or select a thread",
  description:
    "With an id: selects that thread for what follows, until the next resume. Without: shows the selected one.",
  tier: "observe",
  family: "frame",
  payload: {
    id: Operation.optional(Schema.Int.annotate({ description: "Thread id, as threads lists it" })),
    session: Field.session
  },
  positional: ["id"],
  data: Schema.Struct({ thread: ThreadStatus }),
  errors: [...Errors.selection, Errors.NotStopped, Errors.ThreadNotFound],
  examples: [
    { title: "Show the selected one", input: {} },
    { title: "Look at another", input: { id: 4712 } }
  ]
})

/** Shows or selects a frame. */
export const SelectFrame = Operation.make("frame", {
  summary: "Show or select a frame",
  description:
    "With a number, a reference such as @f2 or a function: selects that frame of the selected thread, until the next resume. Without: shows the selected one.",
  tier: "observe",
  payload: {
    index: Operation.optional(
      Schema.NonEmptyString.check(
        Schema.isPattern(/^(?:\d{1,7}|[@:]f\d+)$/, { message: "Write a frame as 2 or @f2" })
      ).annotate({ description: "Frame number or reference" })
    ),
    function: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "The innermost frame of this function" })
    ),
    session: Field.session
  },
  positional: ["index"],
  data: FrameView,
  errors: [...stopped, Errors.StaleReference],
  examples: [
    { title: "Show the selected one", input: {} },
    { title: "Select the caller", input: { index: "1" } }
  ]
})

const steps = Operation.withDefault(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })).annotate({ description: "How many frames" }),
  1
)

/** Selects a caller. */
export const Up = Operation.make("up", {
  summary: "Select the calling frame",
  description: "Selects the frame so many calls further out. Past the end nothing is changed.",
  tier: "observe",
  family: "frame",
  payload: { count: steps, session: Field.session },
  positional: ["count"],
  data: FrameView,
  errors: stopped,
  examples: [{ title: "The caller", input: {} }]
})

/** Selects a callee. */
export const Down = Operation.make("down", {
  summary: "Select the called frame",
  description: "Selects the frame so many calls further in. Past the end nothing is changed.",
  tier: "observe",
  family: "frame",
  payload: { count: steps, session: Field.session },
  positional: ["count"],
  data: FrameView,
  errors: stopped,
  examples: [{ title: "The callee", input: {} }]
})
