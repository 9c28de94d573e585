/**
 * The stop report: the answer of every operation that runs or stops the program.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Identity } from "./Caller.ts"
import { Frame, SourceLines, Thread } from "./Frame.ts"
import { Position } from "./Location.ts"
import { SourceRule } from "./SourceRule.ts"
import { Variable } from "./Variable.ts"

const reasons = [
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
  "sanitizer",
  "panic",
  "assert",
  "fork",
  "exec",
  "syscall",
  "library",
  "restart",
  "replay-end",
  "other"
] as const

/** The schema of the reason of a stop. */
export interface ReasonSchema extends Schema.Literals<typeof reasons> {}

/** The reason of a stop, the same for every debugger. */
export const StopReason: ReasonSchema = Schema.Literals(reasons).annotate({ identifier: "StopReason" })
/** The reason of a stop. */
export type StopReason = typeof StopReason.Type

/** Output since the previous report: bytes, the last line, and the cursor for `output --since`. */
export class OutputSummary extends Model.of<OutputSummary>()(
  Schema.Struct({
    bytes: Schema.Int,
    tail: Schema.optionalKey(Schema.String),
    next: Schema.Int
  })
) {}

const details = ["none", "line", "brief", "full"] as const

/** The schema of a level of detail. */
export interface DetailSchema extends Schema.Literals<typeof details> {
  readonly Rebuild: DetailSchema
}

/** The level of detail of a stop report. */
export const Detail: DetailSchema = Schema.Literals(details).annotate({
  description: "Level of detail of the report"
})
/** The level of detail of a stop report. */
export type Detail = typeof Detail.Type

/** The change at a watchpoint: the old value, if it is known, and the new one. */
export class WatchChange extends Model.of<WatchChange>()(
  Schema.Struct({
    id: Schema.Int,
    expression: Schema.String,
    old: Schema.optionalKey(Schema.String),
    new: Schema.String,
    address: Schema.String,
    /** The line that wrote the value; the stop is at the next one. Absent if it is unknown. */
    written_at: Schema.optionalKey(Position),
    /** The function of that line, if the stop is in another one: a call wrote its return address, or one of them was inlined. */
    written_by: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "WatchChange" })
) {}

/**
 * An expression that was evaluated at a stop, for a breakpoint, a display or the caller: its value or its error. `display` is the
 * number of the display, `format` its format.
 */
export class Evaluation extends Model.of<Evaluation>()(
  Schema.Struct({
    expression: Schema.String,
    value: Schema.optionalKey(Schema.String),
    type: Schema.optionalKey(Schema.String),
    ref: Schema.optionalKey(Schema.String),
    error: Schema.optionalKey(Schema.String),
    display: Schema.optionalKey(Schema.Int),
    format: Schema.optionalKey(Schema.String),
    changed: Schema.optionalKey(Schema.Boolean),
    old: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "Evaluation" })
) {}

/** A debugger command that a breakpoint ran at a stop, and its output. */
export class CommandRun extends Model.of<CommandRun>()(
  Schema.Struct({ command: Schema.String, output: Schema.String }).annotate({
    identifier: "CommandRun"
  })
) {}

/** A line that a step executed; `file` is absent if it is the file of the stop. */
export class RanLine extends Model.of<RanLine>()(
  Schema.Struct({ line: Schema.Int, file: Schema.optionalKey(Schema.String) }).annotate({
    identifier: "RanLine"
  })
) {}

/**
 * An exception in a group, or a cause: `text` is its type and its message, `raised_at` where it was raised or created. `omitted` is
 * the number of exceptions that a long list leaves out at this entry.
 */
export class GroupedException extends Model.of<GroupedException>()(
  Schema.Struct({
    text: Schema.String,
    raised_at: Schema.optionalKey(Position),
    omitted: Schema.optionalKey(Schema.Int)
  }).annotate({ identifier: "GroupedException" })
) {}

/**
 * The exception or signal of a stop, as far as the debugger knows it. `members` are the exceptions in a group (Python's
 * `ExceptionGroup`), those of groups in it too, at most 8. `causes` are the types and
 * messages of the exceptions that were raised before, the newest first (C++ `std::throw_with_nested`). `caused_by` are the
 * values that the exception names as its cause, each the cause of the one before, at most 8 (`error.cause` of JavaScript).
 */
export class StopException extends Model.of<StopException>()(
  Schema.Struct({
    id: Schema.String,
    type: Schema.optionalKey(Schema.String),
    message: Schema.optionalKey(Schema.String),
    thrown_at: Schema.optionalKey(Position),
    /** The exception was raised in a called function and passes through this frame. `thrown_at` is absent then. */
    passes: Schema.optionalKey(Schema.Boolean),
    members: Schema.optionalKey(Schema.Array(GroupedException)),
    causes: Schema.optionalKey(Schema.Array(Schema.String)),
    caused_by: Schema.optionalKey(Schema.Array(GroupedException))
  }).annotate({ identifier: "StopException" })
) {}

/** Frames of one runtime that are folded: `what` is `libc`, `libstdc++`, `Rust` and so on, or `other`. */
export class FoldedFrames extends Model.of<FoldedFrames>()(
  Schema.Struct({ what: Schema.String, count: Schema.Int }).annotate({
    identifier: "FoldedFrames"
  })
) {}

/** Where the program stopped, if that is below the reported frame: the innermost function with a name, else a place. */
export class StoppedIn extends Model.of<StoppedIn>()(
  Schema.Struct({
    function: Schema.optionalKey(Schema.String),
    module: Schema.optionalKey(Schema.String),
    address: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "StoppedIn" })
) {}

/**
 * Where the session is, if it has left the stop of the report: the newest stop, and the state unless it is stopped there. `by` is the
 * client that resumed last; absent if none did.
 */
export class MovedOn extends Model.of<MovedOn>()(
  Schema.Struct({
    stop: Schema.Int,
    state: Schema.optionalKey(Schema.Literals(["running", "exited", "terminated", "detached", "lost"])),
    by: Schema.optionalKey(Identity)
  }).annotate({ identifier: "MovedOn" })
) {}

/**
 * A breakpoint that never stopped the program. `hits` is the count it waits for. `passed` is how often the program passed its
 * place; absent if the debugger does not count that. `watch` is true for a watchpoint: some machines report no access to one.
 * `missed` is true if the debugger may have lost the program, so that the place may have been passed. `unresolved` is the reason why it
 * had no place in the program when that ended.
 */
export class NeverHit extends Model.of<NeverHit>()(
  Schema.Struct({
    id: Schema.Int,
    at: Schema.String,
    condition: Schema.optionalKey(Schema.String),
    hits: Schema.optionalKey(Schema.String),
    passed: Schema.optionalKey(Schema.Int),
    watch: Schema.optionalKey(Schema.Literal(true)),
    unresolved: Schema.optionalKey(Schema.String),
    missed: Schema.optionalKey(Schema.Literal(true))
  }).annotate({ identifier: "NeverHit" })
) {}

/**
 * The result of a resume or a wait. `event` is what ended the wait; `loaded` means loaded, not started. The other fields
 * belong to a stop. `breakpoints` are the numbers of those that were hit, `hit_counts` their hit counts, `threads` the
 * number of threads, `signal` the signal of a stop or the one that ended the program, `frames` the
 * innermost visible frames, at most 5, and `more_frames` the number of visible frames beyond them; `deeper` is true if the stack was
 * not read to its end. `location`
 * is the reported frame: the first with source of the user, if the program stopped below it; `user_frame` is its index
 * and `stopped_in` the innermost one then. With `moved_on` the program has left this stop; parts that were not read by then are
 * absent. `left_out` counts the folded frames by runtime. `elapsed_ms` counts from the resume.
 */
export class StopReport extends Model.of<StopReport>()(
  Schema.Struct({
    event: Schema.Literals(["stopped", "exited", "terminated", "detached", "running", "loaded"]),
    /** True if the program runs: the call did not wait, or its time is up. */
    running: Schema.optionalKey(Schema.Literal(true)),
    waited_ms: Schema.optionalKey(Schema.Int),
    reason: Schema.optionalKey(StopReason),
    raw_reason: Schema.optionalKey(Schema.String),
    description: Schema.optionalKey(Schema.String),
    breakpoints: Schema.optionalKey(Schema.Array(Schema.Int)),
    hit_counts: Schema.optionalKey(Schema.Array(Schema.Int)),
    watch: Schema.optionalKey(WatchChange),
    /**
     * Changes of watched values since the program was resumed that no watchpoint reported: the kernel or another process wrote them, or
     * the machine reports no writes.
     */
    missed_writes: Schema.optionalKey(Schema.Array(WatchChange)),
    thread: Schema.optionalKey(Thread),
    threads: Schema.optionalKey(Schema.Int),
    other_threads: Schema.optionalKey(Schema.Array(Thread)),
    location: Schema.optionalKey(Position),
    stopped_in: Schema.optionalKey(StoppedIn),
    user_frame: Schema.optionalKey(Schema.Int),
    instruction: Schema.optionalKey(Schema.String),
    return_value: Schema.optionalKey(Variable),
    /** The function that a step has left. The rest of the caller's line may not have run yet. */
    returned_from: Schema.optionalKey(Schema.String),
    reached: Schema.optionalKey(Schema.Boolean),
    /** The line that the last step of `next` or `step` executed. */
    ran: Schema.optionalKey(Schema.Array(RanLine)),
    frames: Schema.optionalKey(Schema.Array(Frame)),
    more_frames: Schema.optionalKey(Schema.Int),
    deeper: Schema.optionalKey(Schema.Boolean),
    hidden_frames: Schema.optionalKey(Schema.Int),
    left_out: Schema.optionalKey(Schema.Array(FoldedFrames)),
    /** True if the stack ends where no program or thread starts: the debugger may have missed callers. */
    stack_cut: Schema.optionalKey(Schema.Boolean),
    source: Schema.optionalKey(SourceLines),
    /** Why the text of an existing source file is not shown. */
    source_refused: Schema.optionalKey(Schema.Struct({ rule: SourceRule, detail: Schema.String })),
    /** True if the source is newer than the program; reported once per file. */
    stale: Schema.optionalKey(Schema.Boolean),
    locals: Schema.optionalKey(Schema.Array(Variable)),
    evaluations: Schema.optionalKey(Schema.Array(Evaluation)),
    commands: Schema.optionalKey(Schema.Array(CommandRun)),
    exception: Schema.optionalKey(StopException),
    /** Why the program stopped, in one line; set at crashes, failed assertions, panics and reports of sanitizers. */
    explain: Schema.optionalKey(Schema.String),
    output: Schema.optionalKey(OutputSummary),
    exit_code: Schema.optionalKey(Schema.Int),
    signal: Schema.optionalKey(Schema.String),
    /** Enabled breakpoints that never stopped the program, when it has ended. */
    never_hit: Schema.optionalKey(Schema.Array(NeverHit)),
    /** Children of `fork` that ran without the debugger, when the program has ended; the newest, as far as they are known. */
    children: Schema.optionalKey(Schema.Array(Schema.Struct({ pid: Schema.Int, followed: Schema.Boolean }))),
    moved_on: Schema.optionalKey(MovedOn),
    elapsed_ms: Schema.optionalKey(Schema.Int)
  }).annotate({ identifier: "StopReport" })
) {}
