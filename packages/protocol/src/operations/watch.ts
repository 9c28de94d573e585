/**
 * Operations on what stops a program without being a place in it: memory that is accessed, exceptions.
 */
import * as Schema from "effect/Schema"
import { Access, Breakpoint, By } from "../Breakpoint.ts"
import { Count } from "../Count.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import { Frame } from "../Frame.ts"
import { Position } from "../Location.ts"
import * as Operation from "../Operation.ts"

/** Watches memory (LLDB `watchpoint set`). */
export const Watch = Operation.make("watch", {
  summary: "Stop when a value is written or read",
  description:
    "Stops the program when the memory of an expression is written, and says the value before and after. Uses one of few hardware slots. A local's watch ends with its frame. Needs a stopped program; break's commands work on it.",
  tier: "control",
  frequency: "common",
  payload: {
    expression: Schema.NonEmptyString.annotate({ description: "Variable or expression with an address, or *ADDRESS" }),
    access: Operation.withDefault(Access, "write"),
    size: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 })).annotate({
        description: "Bytes to watch; the value's own size when left out, 8 for *ADDRESS"
      })
    ),
    condition: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Stop only when this expression is true" })
    ),
    hits: Operation.optional(Count),
    scope: Operation.withDefault(
      Schema.Literals(["frame", "global"]).annotate({ description: "Whether a local's watch ends with its frame" }),
      "frame"
    ),
    frame: Field.frame,
    session: Field.session
  },
  positional: ["expression"],
  sentence: "expression",
  data: Breakpoint,
  errors: [
    ...Errors.selection,
    Errors.NotStopped,
    Errors.ThreadNotFound,
    Errors.FrameNotFound,
    Errors.EvaluationFailed,
    Errors.VariableNotFound,
    Errors.BreakpointUnresolved,
    Errors.Usage
  ],
  examples: [{ title: "Who changes it?", input: { expression: "counter" } }]
})

const Filter = Schema.Struct({
  id: Schema.optionalKey(Schema.Int),
  filter: Schema.String,
  label: Schema.String,
  on: Schema.Boolean,
  condition: Schema.optionalKey(Schema.String),
  by: By
})

/** Stops at exceptions (DAP `setExceptionBreakpoints`). */
export const Catch = Operation.make("catch", {
  summary: "Stop when an exception is thrown or caught",
  description:
    "Turns on an exception filter: throw, catch, uncaught, all, none, panic, abort, assert, objc, swift, or a name from catch list. fork, vfork and exec stop where the program asks for a process, load and unload at libraries. What the adapter has no filter for is a breakpoint on the runtime's function.",
  tier: "control",
  frequency: "common",
  payload: {
    filter: Schema.NonEmptyString.annotate({
      description:
        "A name: throw, catch, uncaught, all, none, panic, abort, assert, fork, vfork, exec, load, unload or one from catch list"
    }),
    name: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Library of load and unload, system call of syscall" })
    ),
    condition: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Stop only when this expression is true" })
    ),
    session: Field.session
  },
  positional: ["filter", "name"],
  data: Schema.Struct({ filters: Schema.Array(Filter) }),
  errors: [...Errors.selection, Errors.BreakpointUnresolved, Errors.BreakpointNotFound, Errors.Usage],
  examples: [{ title: "Stop where exceptions are thrown", input: { filter: "throw" } }]
})

/** Lists the exception filters. */
export const CatchList = Operation.make("catch.list", {
  summary: "List the exception filters",
  description: "Lists the exception filters there are, which of them are on, and who keeps to them.",
  tier: "observe",
  payload: { session: Field.session },
  data: Schema.Struct({ filters: Schema.Array(Filter) }),
  errors: Errors.selection,
  examples: [{ title: "What can be caught?", input: {} }]
})

/** Turns exception filters off. */
export const CatchRemove = Operation.make("catch.remove", {
  summary: "Turn an exception filter off",
  description: "Turns an exception filter off by name or number; all turns every one off.",
  tier: "control",
  payload: {
    filter: Schema.NonEmptyString.annotate({ description: "Name or number of a filter, or all" }),
    session: Field.session
  },
  positional: ["filter"],
  data: Schema.Struct({ filters: Schema.Array(Filter) }),
  errors: [...Errors.selection, Errors.BreakpointNotFound, Errors.Usage],
  examples: [{ title: "Run on", input: { filter: "throw" } }]
})

/** Shows the exception of the current stop (DAP `exceptionInfo`). */
export const Exception = Operation.make("exception", {
  summary: "Show the exception at which the program stopped",
  description:
    "Shows type, message and thrower of the exception or signal of the current stop, as far as they are known.",
  tier: "observe",
  frequency: "occasional",
  payload: { session: Field.session },
  data: Schema.Struct({
    id: Schema.String,
    type: Schema.optionalKey(Schema.String),
    message: Schema.optionalKey(Schema.String),
    thrown_at: Schema.optionalKey(Position),
    frames: Schema.Array(Frame)
  }),
  errors: [...Errors.selection, Errors.NotStopped, Errors.ThreadNotFound, Errors.FrameNotFound, Errors.InvalidState],
  examples: [{ title: "What was thrown?", input: {} }]
})

/** Lists the exceptions and signals of the session. */
export const Exceptions = Operation.make("exceptions", {
  summary: "List the exceptions of this session",
  description:
    "Lists the stops of this session at exceptions and signals, oldest first; since takes the cursor of an earlier answer.",
  tier: "observe",
  payload: {
    since: Operation.optional(Field.cursor),
    limit: Field.limit(1000, 50, "Most exceptions to show"),
    session: Field.session
  },
  data: Schema.Struct({
    exceptions: Schema.Array(
      Schema.Struct({
        seq: Schema.Int,
        time: Schema.Finite,
        stop: Schema.Int,
        reason: Schema.Literals(["exception", "signal"]),
        text: Schema.String,
        thread: Schema.optionalKey(Schema.Int)
      })
    ),
    next: Schema.Int,
    dropped: Schema.Int
  }),
  errors: Errors.selection,
  examples: [{ title: "What has been thrown so far?", input: {} }]
})
