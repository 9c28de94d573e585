/**
 * Operations on expressions and types of a stopped program: `print`, `eval`, `expand`, `refs`, `type` and `complete`. Only
 * `eval` may change the program.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import { Reading, Variable } from "../model/Variable.ts"
import { inFrame } from "./StopErrors.ts"

const readErrors = [...inFrame, Errors.EvaluationFailed, Errors.VariableNotFound, Errors.SideEffects] as const

/** The format of a value, in words or as the letter of GDB. */
export const valueFormat = Schema.NonEmptyString.check(
  Schema.isPattern(/^(?:[xdotbcfasBuj]|hex|decimal|unsigned|octal|binary|character|float|address|string|bytes|json)$/, {
    message: "Write a format as hex, decimal, unsigned, octal, binary, character, float, address, string, bytes or json"
  })
).annotate({
  description: "Format: hex, decimal, octal, binary, float, json, …",
  ...FieldFacts.placeholder("FORMAT")
})

/** Reads expressions without changing the program (DAP `evaluate`, context `hover`, else `watch` if it only reads). */
export class Print extends Operation.make("print", () => ({
  summary: "Show the value of expressions",
  tool: "Read variables and expressions; runs no code",
  description:
    "Reads one or more variables, members, elements, arithmetic expressions and references such as @v3. /x before them formats them as hexadecimal. Refuses assignments and calls: use eval for those. If one of several expressions fails, it has an error and the others have values.",
  effect: "observe",
  effects: {
    expressions: "read",
    format: "observe",
    array: "observe",
    type: "observe",
    path: "observe",
    raw: "observe",
    depth: "observe",
    max_items: "observe"
  },
  frequency: "basic",
  everyday: ["expressions", "session"],
  payload: {
    expressions: Field.expressions("EXPR", "Expressions or references"),
    format: Operation.optional(valueFormat),
    array: Field.optionalInteger(1, 1000, "Show a pointer as an array of N elements"),
    type: Field.flag("Show types"),
    path: Field.flag("Show the expression that reads each member"),
    raw: Field.flag("Show values without the language's formatters"),
    depth: Operation.withDefault(Field.valueDepth, 1),
    max_items: Operation.withDefault(
      Field.integer(1, 1000, "Most members or elements to show").annotate(FieldFacts.setting("values.max_items")),
      20
    ),
    max_string: Field.maxString,
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["expressions"],
  completes: "expressions",
  data: Schema.Struct({ values: Schema.Array(Reading) }),
  errors: readErrors,
  examples: [{ title: "Read a member and a variable", input: { expressions: ["items[1].name", "n"] } }]
})) {}

/** Evaluates an expression in the program (DAP `evaluate`, context `watch`); it may change the program. */
export class Eval extends Operation.make("eval", () => ({
  summary: "Evaluate an expression in the program",
  tool: "Evaluate with calls or side effects; may change the program",
  description:
    "Evaluates any expression of the program's language in a frame, also function calls and assignments. May change the program. To read only use print.",
  effect: "eval",
  effects: { expression: "eval" },
  frequency: "everyday",
  everyday: ["expression", "session"],
  payload: {
    expression: Field.text("EXPR", "Expression"),
    timeout: Operation.withDefault(
      Field.Duration.annotate({
        description: "Longest run of the expression, such as 500ms, 5s",
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
  completes: "expressions",
  data: Schema.Struct({ value: Variable }),
  errors: [...inFrame, Errors.EvaluationFailed, Errors.VariableNotFound],
  examples: [{ title: "Call a function", input: { expression: "sum_scores(items, 2)" } }]
})) {}

/** Lists the children of a value by pages (DAP `variables`). */
export class Expand extends Operation.make("expand", () => ({
  summary: "Show the members of a value",
  description:
    "Lists the members or elements of a value by pages, with what changed since an earlier stop. The value is a reference such as @v3 or an expression.",
  effect: "observe",
  effects: { target: "read", depth: "observe" },
  frequency: "common",
  payload: {
    target: Field.text("EXPR", "Expression or reference"),
    depth: Operation.withDefault(Field.valueDepth, 1),
    start: Field.start,
    count: Field.limit(1000, 50, "Most children to show"),
    max_string: Field.maxString,
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["target"],
  completes: "expressions",
  data: Schema.Struct({
    parent: Variable,
    children: Schema.Array(Variable),
    total: Schema.optionalKey(Schema.Int)
  }),
  errors: readErrors,
  examples: [
    { title: "Open a reference", input: { target: "@v2" } },
    { title: "Show elements from the 1000th on", input: { target: "table", start: 1000 } }
  ]
})) {}

/** Lists the references of the current stop. */
export class Refs extends Operation.make("refs", () => ({
  summary: "List the references of this stop",
  description: "Lists the valid references and the expression or frame of each. References end with the stop.",
  effect: "observe",
  effects: {},
  payload: { start: Field.start, limit: Field.limit(1000, 50, "Most references to show"), session: Field.session },
  data: Schema.Struct({
    references: Schema.Array(
      Schema.Struct({
        ref: Schema.String,
        kind: Schema.Literals(["value", "frame"]),
        expression: Schema.String,
        frame: Schema.Int
      })
    ),
    total: Schema.Int
  }),
  errors: [...Errors.selection, Errors.NotStopped],
  examples: [{ title: "List them", input: {} }]
})) {}

/** Describes a type (LLDB `image lookup -t`, `sizeof`). */
export class TypeOf extends Operation.make("type", () => ({
  summary: "Show the definition of a type",
  description:
    "Shows the definition and size of a type, or of the type of an expression. layout adds the offsets and sizes of base classes and members.",
  effect: "observe",
  effects: { name: "read", layout: "observe" },
  payload: {
    name: Field.text("TYPE|EXPR", "Type or expression"),
    layout: Field.flag("Show offsets and sizes of bases and members"),
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["name"],
  sentence: "name",
  completes: "expressions",
  data: Schema.Struct({
    type: Schema.String,
    definition: Schema.optionalKey(Schema.String),
    size: Schema.optionalKey(Schema.Int),
    fields: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          name: Schema.String,
          type: Schema.String,
          offset: Schema.optionalKey(Schema.Int),
          size: Schema.optionalKey(Schema.Int),
          /** True for a base class, which a layout lists before the members; `type` begins with its access. */
          base: Schema.optionalKey(Schema.Boolean)
        })
      )
    )
  }),
  errors: [...inFrame, Errors.SymbolNotFound],
  examples: [{ title: "Show the layout of a struct", input: { name: "struct item", layout: true } }]
})) {}

/** Completes an expression with visible names. */
export class Complete extends Operation.make("complete", () => ({
  summary: "Complete an expression",
  description:
    "Lists completions of the last word of an expression: variables of the frame, or members after . and ->. With kind location: functions, files, and after FILE: the lines with code.",
  effect: "observe",
  effects: { text: "read", kind: "observe" },
  payload: {
    text: Schema.String.annotate({
      description: "Start of an expression or location",
      ...FieldFacts.placeholder("EXPR")
    }),
    kind: Operation.withDefault(
      Schema.Literals(["expression", "location"]).annotate({ description: "Kind of the text to complete" }),
      "expression"
    ),
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["text"],
  sentence: "text",
  completes: "expressions",
  data: Schema.Struct({
    completions: Schema.Array(Schema.Struct({ text: Schema.String, type: Schema.optionalKey(Schema.String) }))
  }),
  errors: inFrame,
  examples: [
    { title: "List the members of an element", input: { text: "items[0]." } },
    { title: "List functions and files to stop at", input: { text: "sum", kind: "location" } }
  ]
})) {}
