/**
 * `break` and `logpoint`: operations that set breakpoints. A breakpoint gets the session's next number. If it does not
 * resolve, setting it fails, unless it is pending.
 */
import * as Schema from "effect/Schema"
import { Breakpoint, Label, OnConditionError } from "../model/Breakpoint.ts"
import { HitCount } from "../HitCount.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"

const condition = Field.optionalText("EXPR", "Stop only if this expression is true")

const hits = Operation.optional(HitCount)

/** The options of a breakpoint that can be changed after it is set. */
export const behaviour = {
  thread: Operation.optional(Schema.Int.annotate({ description: "Stop only in the thread with this number or id" })),
  thread_name: Field.optionalText("REGEX", "Stop only in threads whose name matches"),
  cmd: Field.optionalExpressions("COMMAND", "Debugger commands to run at each stop"),
  eval: Field.optionalExpressions("EXPR", "Expressions to evaluate at each stop, for its report"),
  continue: Field.flag("Log the expressions of eval and resume"),
  max: Field.optionalInteger(1, 1_000_000_000, "Disable after N stops (logpoints: N messages, default 1000)"),
  on_condition_error: Operation.optional(OnConditionError),
  name: Operation.optional(Label)
}

const behaviourEffects = {
  thread_name: "observe",
  cmd: "raw",
  eval: "eval",
  continue: "observe",
  max: "observe",
  on_condition_error: "observe",
  name: "observe"
} as const

const pending = Field.flag("Allow a location in a library that loads later")

const setErrors = [...Errors.selection, Errors.InvalidLocation, Errors.BreakpointUnresolved, Errors.Usage] as const

/** Sets a breakpoint (DAP `setBreakpoints`, `setFunctionBreakpoints`, or LLDB `breakpoint set`). */
export class Break extends Operation.make("break", () => ({
  summary: "Set a breakpoint",
  description:
    "Sets a breakpoint and returns where it was placed. A line without code moves to the next line with code, and the answer says so. If the location does not exist, it fails and sets nothing. Works while the program runs.",
  effect: "control",
  effects: {
    at: "location",
    condition: "eval",
    hits: "observe",
    ignore: "observe",
    log: "message",
    temporary: "observe",
    disabled: "observe",
    pending: "observe",
    hardware: "observe",
    snap: "observe",
    function: "location",
    file: "location",
    line: "observe",
    address: "address",
    regex: "location",
    at_text: "observe",
    in: "read-file",
    nth: "observe",
    expect_text: "observe",
    ...behaviourEffects
  },
  setsBreakpoints: true,
  completes: "locations",
  frequency: "basic",
  everyday: ["at", "pending", "session"],
  toolRequired: ["at"],
  payload: {
    at: Field.optionalText("LOCATION", "At app.c:14, function, line, +N below the stop; [if EXPR]"),
    condition,
    hits,
    ignore: Field.optionalInteger(1, 1_000_000_000, "Ignore the first N hits; the same as hits >N"),
    log: Field.optionalText("MESSAGE", "Log this message and do not stop; evaluates {expr}"),
    temporary: Field.flag("Remove it after its first stop"),
    disabled: Field.flag("Add it in the disabled state"),
    pending,
    hardware: Field.optionalFlag("Use a debug register; leaves the code unchanged"),
    snap: Operation.withDefault(
      Schema.Literals(["on", "off", "ask"]).annotate({
        description: "Line without code: use the next, fail, or fail and name it"
      }),
      "on"
    ),
    function: Field.optionalText("NAME", "Break in this function, instead of a location"),
    file: Field.optionalText("FILE", "File of line (the current one)"),
    line: Field.optionalInteger(1, 10_000_000, "Break on this line, instead of a location"),
    address: Field.optionalText("ADDRESS", "Break at this address, instead of a location"),
    regex: Field.optionalText("REGEX", "Break in all matching functions"),
    at_text: Field.optionalText("TEXT", "Break on the line with this text"),
    in: Field.optionalText("FILE", "File of at_text (the current one)"),
    nth: Field.optionalInteger(1, 1_000_000, "Which of several lines with that text: 1 is the first"),
    expect_text: Field.optionalText("TEXT", "Fail unless the line has this text"),
    ...behaviour,
    session: Field.session
  },
  positional: ["at"],
  sentence: "at",
  data: Breakpoint,
  errors: setErrors,
  examples: [
    { title: "Stop on a line", input: { at: "app.c:14" } },
    { title: "Stop in a function on a condition", input: { at: "sum_scores if n > 2" } },
    { title: "Stop at every hundredth hit", input: { at: "app.c:14", hits: "%100" } },
    { title: "Find the line by its text", input: { at_text: "return total;", in: "app.c" } },
    { title: "Stop in every function with a prefix", input: { regex: "^list_" } },
    { title: "Log an expression without stopping", input: { at: "app.c:14", eval: ["total"], continue: true } }
  ]
})) {}

/** Sets a logpoint: a breakpoint that logs a message and does not stop (DAP `logMessage`). */
export class Logpoint extends Operation.make("logpoint", () => ({
  summary: "Log a message whenever a location is reached",
  description:
    "Sets a breakpoint that logs a message and resumes the program; {expr} in the message is evaluated. Read the messages with output, channel log.",
  effect: "control",
  effects: {
    at: "logged",
    message: "message",
    condition: "eval",
    hits: "observe",
    pending: "observe",
    max: "observe",
    name: "observe"
  },
  setsBreakpoints: true,
  payload: {
    at: Field.text("LOCATION", "Location, as break takes it, or LOCATION :: MESSAGE"),
    message: Field.optionalText("MESSAGE", "Message to log; evaluates {expr}"),
    condition,
    hits,
    pending,
    max: behaviour.max,
    name: behaviour.name,
    session: Field.session
  },
  positional: ["at", "message"],
  completes: "locations",
  data: Breakpoint,
  errors: setErrors,
  examples: [
    { title: "Trace two variables", input: { at: "app.c:14", message: "i={i} total={total}" } },
    { title: "The same in one text, with a condition", input: { at: "app.c:14 if i > 2 :: total={total}" } }
  ]
})) {}
