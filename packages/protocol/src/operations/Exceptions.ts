/**
 * `catch …`, `exception` and `exceptions`: stops at exceptions, signals, forks and library loads.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { By } from "../model/Breakpoint.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import { Frame } from "../model/Frame.ts"
import { Position } from "../model/Location.ts"
import * as Operation from "../Operation.ts"
import { GroupedException } from "../model/Stop.ts"
import { stopped } from "./StopErrors.ts"

class Filter extends Model.of<Filter>()(
  Schema.Struct({
    id: Schema.optionalKey(Schema.Int),
    filter: Schema.String,
    label: Schema.String,
    on: Schema.Boolean,
    condition: Schema.optionalKey(Schema.String),
    by: By
  })
) {}

/** Enables an exception filter (DAP `setExceptionBreakpoints`). */
export class Catch extends Operation.make("catch", () => ({
  summary: "Stop when an exception is thrown or caught",
  description:
    "Enables an exception filter: throw, catch, uncaught, all, none, panic, abort, assert, objc, swift, or a name from catch list. fork, vfork and exec stop at the call; load and unload stop when a library is loaded or unloaded. If the adapter has no such filter, sets a breakpoint on the function of the runtime.",
  effect: "control",
  effects: { filter: "observe", name: "observe", condition: "eval" },
  setsBreakpoints: true,
  frequency: "common",
  payload: {
    filter: Field.text("FILTER", "Filter: throw, catch, uncaught, all, none, panic, fork, …"),
    name: Field.optionalText("NAME", "Library of load and unload, system call of syscall"),
    condition: Field.optionalText("EXPR", "Stop only if this expression is true"),
    session: Field.session
  },
  positional: ["filter", "name"],
  data: Schema.Struct({ filters: Schema.Array(Filter) }),
  errors: [...Errors.selection, Errors.BreakpointUnresolved, Errors.BreakpointNotFound, Errors.Usage],
  examples: [{ title: "Stop when an exception is thrown", input: { filter: "throw" } }]
})) {}

/** Lists the exception filters. */
export class CatchList extends Operation.make("catch.list", () => ({
  summary: "List the exception filters",
  description: "Lists the exception filters of the debugger, which of them are enabled, and who evaluates them.",
  effect: "observe",
  effects: {},
  payload: { session: Field.session },
  data: Schema.Struct({ filters: Schema.Array(Filter) }),
  errors: Errors.selection,
  examples: [{ title: "List what can be caught", input: {} }]
})) {}

/** Disables exception filters. */
export class CatchRemove extends Operation.make("catch.remove", () => ({
  summary: "Disable an exception filter",
  description: "Disables an exception filter by name or number; all disables every filter.",
  effect: "control",
  effects: { filter: "observe" },
  payload: { filter: Field.text("FILTER", "Name or number of a filter, or all"), session: Field.session },
  positional: ["filter"],
  data: Schema.Struct({ filters: Schema.Array(Filter) }),
  errors: [...Errors.selection, Errors.BreakpointNotFound, Errors.Usage],
  examples: [{ title: "Ignore thrown exceptions again", input: { filter: "throw" } }]
})) {}

/** Describes the exception or signal of the current stop (DAP `exceptionInfo`). */
export class Exception extends Operation.make("exception", () => ({
  summary: "Describe the exception of the current stop",
  description:
    "Returns type, message, origin and frames of the exception or signal at which the program stopped, as far as the debugger knows them, and the exceptions in a group.",
  effect: "observe",
  effects: {},
  frequency: "occasional",
  payload: { session: Field.session },
  data: Schema.Struct({
    id: Schema.String,
    type: Schema.optionalKey(Schema.String),
    message: Schema.optionalKey(Schema.String),
    thrown_at: Schema.optionalKey(Position),
    members: Schema.optionalKey(Schema.Array(GroupedException)),
    causes: Schema.optionalKey(Schema.Array(Schema.String)),
    caused_by: Schema.optionalKey(Schema.Array(GroupedException)),
    frames: Schema.Array(Frame)
  }),
  errors: [...stopped, Errors.InvalidState],
  examples: [{ title: "Show what was thrown", input: {} }]
})) {}

/** Lists the stops of the session at exceptions and signals. */
export class Exceptions extends Operation.make("exceptions", () => ({
  summary: "List the exceptions of this session",
  description:
    "Lists the stops of this session at exceptions and signals, oldest first. With since, lists only those after an earlier answer.",
  effect: "observe",
  effects: { since: "observe" },
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
  examples: [{ title: "List them", input: {} }]
})) {}
