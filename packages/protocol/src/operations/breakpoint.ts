/**
 * Operations that set breakpoints. Numbers are ours; a breakpoint that binds nowhere is an error unless it may be pending.
 */
import * as Schema from "effect/Schema"
import { Breakpoint, Label, OnConditionError } from "../Breakpoint.ts"
import { Count } from "../Count.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"

const condition = Operation.optional(
  Schema.NonEmptyString.annotate({ description: "Stop only when this expression is true" })
)

const hits = Operation.optional(Count)

/** What a breakpoint does beside stopping, which can be given when it is set and changed afterwards. */
export const behaviour = {
  thread: Operation.optional(Schema.Int.annotate({ description: "Stop only in the thread of this id" })),
  thread_name: Operation.optional(
    Schema.NonEmptyString.annotate({ description: "Stop only in threads whose name matches this regular expression" })
  ),
  cmd: Operation.withDefault(
    Schema.Array(Schema.NonEmptyString).annotate({ description: "Command of the debugger to run at each stop" }),
    []
  ),
  eval: Operation.withDefault(
    Schema.Array(Schema.NonEmptyString).annotate({
      description: "Expression to evaluate at each stop, for its report"
    }),
    []
  ),
  continue: Operation.withDefault(
    Schema.Boolean.annotate({ description: "Write the expressions to the log channel and go on" }),
    false
  ),
  max: Operation.optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })).annotate({
      description: "Disable it after so many stops or messages; 1000 for one that writes"
    })
  ),
  on_condition_error: Operation.optional(OnConditionError),
  name: Operation.optional(Label)
}

const pending = Operation.withDefault(
  Schema.Boolean.annotate({ description: "May stay unresolved until a library has the place" }),
  false
)

const setErrors = [...Errors.selection, Errors.InvalidLocation, Errors.BreakpointUnresolved, Errors.Usage] as const

/** Sets a breakpoint (DAP `setBreakpoints`, `setFunctionBreakpoints`, or LLDB `breakpoint set`). */
export const Break = Operation.make("break", {
  summary: "Set a breakpoint",
  description:
    "Sets a breakpoint and says where it really is: a line without code moves to the next one that has some, and this is reported. A place that does not exist is an error and nothing is created. Works while the program runs.",
  tier: "control",
  frequency: "basic",
  everyday: ["at", "pending", "session"],
  payload: {
    at: Operation.optional(
      Schema.NonEmptyString.annotate({
        description:
          "FILE:LINE, LINE, +N, FUNCTION, FILE:FUNCTION, MODULE`FUNCTION, *ADDRESS or /REGEX/, then: if EXPR, hits COUNT"
      })
    ),
    condition,
    hits,
    ignore: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })).annotate({
        description: "Pass over so many hits, as hits >N"
      })
    ),
    log: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Write this instead of stopping; {expr} is evaluated" })
    ),
    temporary: Operation.withDefault(Schema.Boolean.annotate({ description: "Remove it after its first stop" }), false),
    disabled: Operation.withDefault(Schema.Boolean.annotate({ description: "Set it without enabling it" }), false),
    pending,
    hardware: Operation.optional(
      Schema.Boolean.annotate({ description: "In a debug register, which leaves the code as it is" })
    ),
    snap: Operation.withDefault(
      Schema.Literals(["on", "off", "ask"]).annotate({
        description: "Whether a line without code moves to the next that has some; ask names that one and fails"
      }),
      "on"
    ),
    function: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "In this function, instead of a location" })
    ),
    file: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "File of line; the current one when left out" })
    ),
    line: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000_000 })).annotate({
        description: "On this line, instead of a location"
      })
    ),
    address: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "At this address or expression, instead of a location" })
    ),
    regex: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "In all functions that match, instead of a location" })
    ),
    at_text: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "The line with this text, instead of a location" })
    ),
    in: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "File of at_text; the current one when left out" })
    ),
    nth: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })).annotate({
        description: "Which of several lines with that text"
      })
    ),
    expect_text: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Refuse when the line does not read like this" })
    ),
    ...behaviour,
    session: Field.session
  },
  positional: ["at"],
  sentence: "at",
  data: Breakpoint,
  errors: setErrors,
  examples: [
    { title: "Stop on a line", input: { at: "app.c:14" } },
    { title: "Stop in a function when it matters", input: { at: "sum_scores if n > 2" } },
    { title: "Stop at each hundredth hit", input: { at: "app.c:14", hits: "%100" } },
    { title: "Find the line by its text", input: { at_text: "return total;", in: "app.c" } },
    { title: "Every function of a module's", input: { regex: "^list_" } },
    { title: "Watch an expression go by", input: { at: "app.c:14", eval: ["total"], continue: true } }
  ]
})

/** Sets a breakpoint that writes and does not stop (DAP `logMessage`). */
export const Logpoint = Operation.make("logpoint", {
  summary: "Write a message whenever a place is reached",
  description:
    "Sets a breakpoint that writes a message and goes on; {expr} in it is evaluated. The messages are in the log channel of output.",
  tier: "control",
  payload: {
    at: Schema.NonEmptyString.annotate({ description: "A location as break takes it" }),
    message: Schema.NonEmptyString.annotate({ description: "What to write; {expr} is evaluated" }),
    condition,
    hits,
    pending,
    max: behaviour.max,
    name: behaviour.name,
    session: Field.session
  },
  positional: ["at", "message"],
  data: Breakpoint,
  errors: setErrors,
  examples: [{ title: "Follow a variable", input: { at: "app.c:14", message: "i={i} total={total}" } }]
})
