/**
 * Operations that look at a stopped program. Only `eval` may change it.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import { Frame, Thread } from "../Frame.ts"
import * as Operation from "../Operation.ts"
import { OutputEntry } from "../Output.ts"
import { StopReport } from "../Stop.ts"
import { Variable } from "../Variable.ts"
import { Breakpoint } from "../Breakpoint.ts"
import { Register } from "./machine.ts"

const stopped = [...Errors.selection, Errors.NotStopped, Errors.ThreadNotFound, Errors.FrameNotFound] as const

/** The state of a session with everything one wants to see at a stop. */
export const Context = Schema.Struct({
  ...StopReport.fields,
  recent_output: Schema.Array(OutputEntry),
  registers: Schema.optionalKey(Schema.Array(Register)),
  set_breakpoints: Schema.optionalKey(Schema.Array(Breakpoint))
}).annotate({ identifier: "Context" })
/** The state of a session with everything one wants to see at a stop. */
export type Context = typeof Context.Type

/** Shows the current stop whole; running and ended programs answer too. */
export const GetContext = Operation.make("context", {
  summary: "Show where the program is",
  description:
    "Shows the current stop: place, source, stack, arguments and locals. A running program answers with its state and recent output, an ended one with its exit code: never an error in an existing session. Resumes nothing.",
  tier: "observe",
  frequency: "basic",
  everyday: ["frame", "session"],
  payload: {
    lines: Operation.withDefault(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50 })).annotate({
        description: "Source lines either side"
      }),
      5
    ),
    frame: Field.frame,
    depth: Operation.optional(Field.depth),
    reveal: Field.reveal,
    sections: Operation.withDefault(
      Schema.Array(Schema.Literals(["source", "stack", "locals", "output", "registers", "breakpoints"])).annotate({
        description: "Only these parts; all but registers and breakpoints when empty"
      }),
      []
    ),
    session: Field.session
  },
  data: Context,
  errors: [...Errors.selection, Errors.FrameNotFound],
  examples: [{ title: "Show where it is", input: {} }]
})

const { limit, start } = Field

/** Shows the stack of one thread by pages (DAP `stackTrace`). */
export const Backtrace = Operation.make("backtrace", {
  summary: "Show the stack",
  description:
    "Shows the frames of a stopped thread, innermost first, by pages; a negative limit shows the outermost. Runtime frames below main are folded unless all_frames.",
  tier: "observe",
  frequency: "basic",
  everyday: ["thread", "all_threads", "session"],
  payload: {
    limit: Operation.withDefault(
      Schema.Int.check(Schema.isBetween({ minimum: -1000, maximum: 1000 })).annotate({
        description: "Most frames to show; negative: so many of the outermost"
      }),
      20
    ),
    start,
    match: Operation.optional(
      Schema.NonEmptyString.annotate({
        description: "Only frames whose function or file matches this regular expression"
      })
    ),
    locals: Operation.withDefault(Schema.Boolean.annotate({ description: "Local variables of each frame" }), false),
    args: Operation.withDefault(Schema.Boolean.annotate({ description: "Arguments of each frame" }), false),
    reveal: Field.reveal,
    thread: Field.thread,
    all_frames: Operation.withDefault(Schema.Boolean.annotate({ description: "Show runtime frames as well" }), false),
    all_threads: Operation.withDefault(Schema.Boolean.annotate({ description: "Stacks of all threads" }), false),
    session: Field.session
  },
  positional: ["limit"],
  data: Schema.Struct({
    thread: Thread,
    frames: Schema.Array(Frame),
    total: Schema.optionalKey(Schema.Int),
    hidden: Schema.Int,
    selected: Schema.optionalKey(Schema.Int),
    threads: Schema.optionalKey(
      Schema.Array(Schema.Struct({ thread: Thread, frames: Schema.Array(Frame), hidden: Schema.Int }))
    )
  }),
  errors: [...stopped, Errors.Usage],
  examples: [
    { title: "The whole of a short stack", input: {} },
    { title: "How it began", input: { limit: -3 } },
    { title: "The next page", input: { start: 20 } }
  ]
})

/** Lists arguments and local variables of a frame (DAP `scopes`, `variables`). */
export const Locals = Operation.make("locals", {
  summary: "Show the local variables",
  description:
    "Shows arguments and local variables of a frame, by pages; names pick some of them. What a reference opens is shown by print.",
  tier: "observe",
  frequency: "basic",
  everyday: ["names", "frame", "session"],
  payload: {
    names: Operation.withDefault(Schema.Array(Schema.String).annotate({ description: "Only these" }), []),
    scope: Operation.withDefault(
      Schema.Array(Schema.Literals(["locals", "args", "statics", "globals", "registers", "all"])).annotate({
        description: "Which variables; arguments and locals when left out"
      }),
      []
    ),
    filter: Operation.optional(
      Schema.NonEmptyString.annotate({
        description: "Only names that match: * for any characters, or /REGEX/; a plain word may be anywhere"
      })
    ),
    type: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Only types that match this regular expression" })
    ),
    uninitialized: Operation.withDefault(
      Schema.Boolean.annotate({ description: "Also those that have no value yet or were optimised out" }),
      true
    ),
    sort: Operation.withDefault(Schema.Boolean.annotate({ description: "By name" }), false),
    full: Operation.withDefault(Schema.Boolean.annotate({ description: "Whole values with their members" }), false),
    max_string: Field.maxString,
    reveal: Field.reveal,
    changed: Operation.withDefault(
      Schema.Boolean.annotate({ description: "Only what changed since the previous stop" }),
      false
    ),
    depth: Operation.withDefault(Field.valueDepth, 0),
    frame: Field.frame,
    thread: Field.thread,
    start,
    count: limit(1000, 50, "Most variables to show"),
    session: Field.session
  },
  positional: ["names"],
  data: Schema.Struct({
    frame: Frame,
    variables: Schema.Array(Variable),
    total: Schema.Int,
    not_found: Schema.Array(Schema.String)
  }),
  errors: [...stopped, Errors.Usage],
  examples: [
    { title: "All of them", input: {} },
    { title: "Two of them", input: { names: ["total", "i"] } }
  ]
})

/** Reads expressions without changing the program (DAP `evaluate`, context `hover`, else `watch` when it only reads). */
export const Print = Operation.make("print", {
  summary: "Show the value of expressions",
  description:
    "Reads variables, members, elements, arithmetic and references such as @v3, several in one call. /x before them writes them as hexadecimal. Refuses what may change the program (assignments, calls): use eval for those.",
  tier: "observe",
  frequency: "basic",
  everyday: ["expressions", "session"],
  payload: {
    expressions: Schema.NonEmptyArray(Schema.NonEmptyString).annotate({ description: "Expressions or references" }),
    format: Operation.optional(
      Schema.NonEmptyString.check(
        Schema.isPattern(
          /^(?:[xdotbcfasBuj]|hex|decimal|unsigned|octal|binary|character|float|address|string|bytes|json)$/,
          {
            message:
              "Write a format as hex, decimal, unsigned, octal, binary, character, float, address, string, bytes or json"
          }
        )
      ).annotate({
        description:
          "Written as hex, decimal, unsigned, octal, binary, character, float, address, string, bytes or json"
      })
    ),
    array: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
        description: "Show a pointer as an array of so many elements"
      })
    ),
    type: Operation.withDefault(Schema.Boolean.annotate({ description: "Show types" }), false),
    path: Operation.withDefault(
      Schema.Boolean.annotate({ description: "Show each member by the expression that reads it" }),
      false
    ),
    raw: Operation.withDefault(Schema.Boolean.annotate({ description: "Without the language's formatters" }), false),
    depth: Operation.withDefault(Field.valueDepth, 1),
    max_items: Operation.withDefault(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
        description: "Most members or elements to show",
        ...FieldFacts.setting("values.max_items")
      }),
      20
    ),
    max_string: Field.maxString,
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["expressions"],
  data: Schema.Struct({ values: Schema.Array(Variable) }),
  errors: [...stopped, Errors.VariableNotFound, Errors.EvaluationFailed, Errors.SideEffects, Errors.StaleReference],
  examples: [{ title: "A member and a variable", input: { expressions: ["items[1].name", "n"] } }]
})

/** Evaluates an expression in the program (DAP `evaluate`, context `watch`); it may change it. */
export const Eval = Operation.make("eval", {
  summary: "Evaluate an expression in the program",
  description:
    "Evaluates any expression of the language in a frame, function calls and assignments included. May change the program; print only reads.",
  tier: "evaluate",
  frequency: "everyday",
  everyday: ["expression", "session"],
  payload: {
    expression: Schema.NonEmptyString.annotate({ description: "Expression of the program's language" }),
    timeout: Operation.withDefault(
      Field.Duration.annotate({
        description: "Longest time for what it calls, e.g. 500ms, 5s",
        ...FieldFacts.setting("timeouts.evaluate")
      }),
      "5s"
    ),
    max_string: Field.maxString,
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["expression"],
  sentence: "expression",
  data: Schema.Struct({ value: Variable }),
  errors: [...stopped, Errors.EvaluationFailed],
  examples: [{ title: "Call a function", input: { expression: "sum_scores(items, 2)" } }]
})
