/**
 * Operations on values of a stopped program: their insides, their types, and changing them.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import { Frame } from "../Frame.ts"
import { Position } from "../Location.ts"
import * as Operation from "../Operation.ts"
import { Variable } from "../Variable.ts"

const stopped = [...Errors.selection, Errors.NotStopped, Errors.ThreadNotFound, Errors.FrameNotFound] as const
const evaluated = [...stopped, Errors.EvaluationFailed, Errors.VariableNotFound, Errors.SideEffects] as const

/** Lists what is inside a value by pages (DAP `variables`). */
export const Expand = Operation.make("expand", {
  summary: "Show what is inside a value",
  description:
    "Lists members or elements of a value by pages; TARGET is a reference such as @v3 or an expression that only reads.",
  tier: "observe",
  frequency: "common",
  payload: {
    target: Schema.NonEmptyString.annotate({ description: "Reference or expression" }),
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
  data: Schema.Struct({
    parent: Variable,
    children: Schema.Array(Variable),
    total: Schema.optionalKey(Schema.Int)
  }),
  errors: [...evaluated, Errors.StaleReference],
  examples: [
    { title: "Open a reference", input: { target: "@v2" } },
    { title: "Elements from the 1000th on", input: { target: "table", start: 1000 } }
  ]
})

/** Assigns a value and reads it back (DAP `evaluate`). */
export const SetValue = Operation.make("set", {
  summary: "Change a variable",
  description:
    "Assigns VALUE to a variable, member, element or reference and answers with the old value and the one read back.",
  tier: "write",
  frequency: "everyday",
  everyday: ["target", "value", "session"],
  payload: {
    target: Schema.NonEmptyString.annotate({ description: "Name, path or reference" }),
    value: Schema.NonEmptyString.annotate({ description: "Expression of the program's language" }),
    max_string: Field.maxString,
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["target", "value"],
  sentence: "value",
  data: Schema.Struct({ name: Schema.String, old: Schema.String, new: Variable }),
  errors: [...evaluated, Errors.StaleReference],
  examples: [{ title: "Another number of rounds", input: { target: "n", value: "2" } }]
})

/** Lists the arguments of a frame. */
export const Arguments = Operation.make("args", {
  summary: "Show the arguments of the frame",
  description: "Shows the arguments of the selected frame's function. locals shows them with the local variables.",
  tier: "observe",
  family: "locals",
  payload: {
    max_string: Field.maxString,
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  data: Schema.Struct({ frame: Frame, variables: Schema.Array(Variable), total: Schema.Int }),
  errors: stopped,
  examples: [{ title: "What it was called with", input: {} }]
})

/** Variables of a frame, and the names that were asked for and are none. */
const Named = Schema.Struct({
  frame: Frame,
  variables: Schema.Array(Variable),
  total: Schema.Int,
  not_found: Schema.Array(Schema.String)
})

/** Lists global and static variables (DAP `scopes`: Globals). */
export const Globals = Operation.make("globals", {
  summary: "Show global variables",
  description:
    "Shows the global and static variables of the frame's source file, then those of the program's other files, by pages; names or a file pick some.",
  tier: "observe",
  family: "locals",
  payload: {
    names: Operation.withDefault(Schema.Array(Schema.String).annotate({ description: "Only these" }), []),
    file: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Only those of this source file, a name or a path" })
    ),
    start: Field.start,
    count: Field.limit(1000, 50, "Most variables to show"),
    max_string: Field.maxString,
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["names"],
  data: Named,
  errors: [...stopped, Errors.SourceNotFound],
  examples: [
    { title: "All of them", input: {} },
    { title: "Those of one file", input: { file: "pool.c" } }
  ]
})

/** Reads variables by name wherever they are visible. */
export const Vars = Operation.make("vars", {
  summary: "Show variables by name",
  description:
    "Shows the named variables, whether they are arguments, locals, static or global; names that do not exist are listed. print takes expressions.",
  tier: "observe",
  payload: {
    names: Schema.NonEmptyArray(Schema.NonEmptyString).annotate({ description: "Names" }),
    depth: Operation.withDefault(Field.valueDepth, 0),
    max_string: Field.maxString,
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["names"],
  data: Named,
  errors: stopped,
  examples: [{ title: "One local and one global", input: { names: ["total", "counter"] } }]
})

/** Tells where a name is visible. */
export const Find = Operation.make("find", {
  summary: "Show where a name is visible",
  description:
    "Looks for a name among the variables of the stack's frames, global variables, functions and types, and says where each is.",
  tier: "observe",
  payload: {
    name: Schema.NonEmptyString.annotate({ description: "Name of a variable, function or type" }),
    kind: Operation.withDefault(
      Schema.Array(Schema.Literals(["var", "func", "type"])).annotate({ description: "Only these kinds" }),
      []
    ),
    thread: Field.thread,
    session: Field.session
  },
  positional: ["name"],
  data: Schema.Struct({
    matches: Schema.Array(
      Schema.Struct({
        kind: Schema.Literals(["var", "func", "type"]),
        name: Schema.String,
        type: Schema.optionalKey(Schema.String),
        frame: Schema.optionalKey(Schema.Int),
        scope: Schema.optionalKey(Schema.Literals(["local", "global"])),
        location: Schema.optionalKey(Position)
      })
    )
  }),
  errors: [...stopped, Errors.SymbolNotFound],
  examples: [{ title: "Who has a total?", input: { name: "total" } }]
})

/** Lists the references of the current stop. */
export const Refs = Operation.make("refs", {
  summary: "List the references of this stop",
  description: "Lists the references that are good now and the expression or frame that each stands for.",
  tier: "observe",
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
  examples: [{ title: "What can be opened?", input: {} }]
})

/** Compares the selected frame with the stop at which it was seen before. */
export const Changed = Operation.make("changed", {
  summary: "Show what differs from the previous stop",
  description:
    "Compares variables of the selected frame, the function, and output with the stop at which they were reported before.",
  tier: "observe",
  payload: {
    since: Operation.optional(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
        description: "Number of the stop to compare with; the one before when left out"
      })
    ),
    expr: Operation.withDefault(
      Schema.Array(Schema.NonEmptyString).annotate({
        description: "Expression to compare with its value when it was asked for before"
      }),
      []
    ),
    reveal: Field.reveal,
    session: Field.session
  },
  data: Schema.Struct({
    from: Schema.Int,
    to: Schema.Int,
    vars: Schema.Array(
      Schema.Struct({ name: Schema.String, old: Schema.optionalKey(Schema.String), new: Schema.String })
    ),
    frame: Frame,
    entered: Schema.Boolean,
    output_bytes: Schema.Int
  }),
  errors: [...stopped, Errors.InvalidState, Errors.SideEffects, Errors.EvaluationFailed, Errors.VariableNotFound],
  examples: [
    { title: "What did that step do", input: {} },
    { title: "Since the first stop", input: { since: 1 } }
  ]
})

/** Describes a type (LLDB `image lookup -t`, `sizeof`). */
export const TypeOf = Operation.make("type", {
  summary: "Show a type",
  description:
    "Shows the definition and size of a type, or of the type of an expression; layout adds offsets and sizes of members.",
  tier: "observe",
  payload: {
    name: Schema.NonEmptyString.annotate({ description: "Type or expression" }),
    layout: Operation.withDefault(Schema.Boolean.annotate({ description: "Offsets and sizes of members" }), false),
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["name"],
  sentence: "name",
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
          size: Schema.optionalKey(Schema.Int)
        })
      )
    )
  }),
  errors: [...stopped, Errors.SymbolNotFound],
  examples: [{ title: "Where its members lie", input: { name: "struct item", layout: true } }]
})

/** Completes an expression from what is visible. */
export const Complete = Operation.make("complete", {
  summary: "Complete an expression",
  description: "Lists how the last word of an expression can go on: variables of the frame, or members after . and ->.",
  tier: "observe",
  payload: {
    text: Schema.String.annotate({ description: "Beginning of an expression" }),
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["text"],
  sentence: "text",
  data: Schema.Struct({
    completions: Schema.Array(Schema.Struct({ text: Schema.String, type: Schema.optionalKey(Schema.String) }))
  }),
  errors: stopped,
  examples: [{ title: "Members of an element", input: { text: "items[0]." } }]
})
