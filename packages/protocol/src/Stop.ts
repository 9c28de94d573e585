/**
 * The stop report: what every resuming operation answers with. One call, one answer.
 */
import * as Schema from "effect/Schema"
import { Frame, SourceLines, Thread } from "./Frame.ts"
import { Position } from "./Location.ts"
import { Variable } from "./Variable.ts"

/** Why the program stopped, in words that do not depend on the debugger. */
export const StopReason = Schema.Literals([
  "breakpoint",
  "function-breakpoint",
  "instruction-breakpoint",
  "watchpoint",
  "step",
  "finish",
  "until",
  "goto",
  "pause",
  "entry",
  "exception",
  "signal",
  "fork",
  "exec",
  "syscall",
  "library",
  "restart",
  "replay-end",
  "other"
]).annotate({ identifier: "StopReason" })
/** Why the program stopped. */
export type StopReason = typeof StopReason.Type

/** Output since the previous report: bytes, the last line, and the cursor for `output --since`. */
export const OutputSummary = Schema.Struct({
  bytes: Schema.Int,
  tail: Schema.optionalKey(Schema.String),
  next: Schema.Int
})
/** Output since the previous report. */
export type OutputSummary = typeof OutputSummary.Type

/** How large a stop report shall be. */
export const Detail = Schema.Literals(["none", "line", "brief", "full"]).annotate({
  description: "Size of the report"
})
/** How large a stop report shall be. */
export type Detail = typeof Detail.Type

/** What a watchpoint saw: the value before and after; `old` is absent when it is not known. */
export const WatchChange = Schema.Struct({
  id: Schema.Int,
  expression: Schema.String,
  old: Schema.optionalKey(Schema.String),
  new: Schema.String,
  address: Schema.String
}).annotate({ identifier: "WatchChange" })
/** What a watchpoint saw. */
export type WatchChange = typeof WatchChange.Type

/** An expression that a breakpoint or a caller had evaluated at a stop: its value, or why it has none. */
export const Evaluation = Schema.Struct({
  expression: Schema.String,
  value: Schema.optionalKey(Schema.String),
  type: Schema.optionalKey(Schema.String),
  ref: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Evaluation" })
/** An expression that was evaluated at a stop. */
export type Evaluation = typeof Evaluation.Type

/** A debugger's command that a breakpoint had run at a stop. */
export const CommandRun = Schema.Struct({ command: Schema.String, output: Schema.String }).annotate({
  identifier: "CommandRun"
})
/** A debugger's command that a breakpoint had run at a stop. */
export type CommandRun = typeof CommandRun.Type

/** The exception or signal of a stop, as far as the debugger knows it. */
export const StopException = Schema.Struct({
  id: Schema.String,
  type: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String),
  thrown_at: Schema.optionalKey(Position)
}).annotate({ identifier: "StopException" })
/** The exception or signal of a stop. */
export type StopException = typeof StopException.Type

/**
 * Where the program is after it was resumed. `event` says what ended the wait, `loaded` that it was not begun yet; the sections below are there when it
 * is `stopped`. `breakpoints` are the numbers of those that were hit, `hit_counts` how often each was so far, `threads`
 * how many threads there are. `elapsed_ms` counts from the resume, `frames` is the visible chain of at most 5.
 */
export const StopReport = Schema.Struct({
  event: Schema.Literals(["stopped", "exited", "terminated", "detached", "running", "loaded"]),
  reason: Schema.optionalKey(StopReason),
  raw_reason: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  breakpoints: Schema.optionalKey(Schema.Array(Schema.Int)),
  hit_counts: Schema.optionalKey(Schema.Array(Schema.Int)),
  watch: Schema.optionalKey(WatchChange),
  thread: Schema.optionalKey(Thread),
  threads: Schema.optionalKey(Schema.Int),
  other_threads: Schema.optionalKey(Schema.Array(Thread)),
  location: Schema.optionalKey(Position),
  instruction: Schema.optionalKey(Schema.String),
  return_value: Schema.optionalKey(Variable),
  reached: Schema.optionalKey(Schema.Boolean),
  frames: Schema.optionalKey(Schema.Array(Frame)),
  hidden_frames: Schema.optionalKey(Schema.Int),
  source: Schema.optionalKey(SourceLines),
  /** The source is newer than the program; said once for each file. */
  stale: Schema.optionalKey(Schema.Boolean),
  locals: Schema.optionalKey(Schema.Array(Variable)),
  evaluations: Schema.optionalKey(Schema.Array(Evaluation)),
  commands: Schema.optionalKey(Schema.Array(CommandRun)),
  exception: Schema.optionalKey(StopException),
  output: Schema.optionalKey(OutputSummary),
  exit_code: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  elapsed_ms: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "StopReport" })
/** Where the program is after it was resumed. */
export type StopReport = typeof StopReport.Type
