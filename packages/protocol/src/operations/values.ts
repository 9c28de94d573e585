/**
 * Operations on values of a stopped program: their insides, their types, and changing them.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import { Frame } from "../Frame.ts"
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
  payload: {
    target: Schema.NonEmptyString.annotate({ description: "Reference or expression" }),
    depth: Operation.withDefault(Field.depth, 1),
    start: Field.start,
    count: Field.limit(1000, 50, "Most children to show"),
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
  payload: {
    target: Schema.NonEmptyString.annotate({ description: "Name, path or reference" }),
    value: Schema.NonEmptyString.annotate({ description: "Expression of the program's language" }),
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
  payload: { frame: Field.frame, thread: Field.thread, session: Field.session },
  data: Schema.Struct({ frame: Frame, variables: Schema.Array(Variable), total: Schema.Int }),
  errors: stopped,
  examples: [{ title: "What it was called with", input: {} }]
})

/** Lists global and static variables (DAP `scopes`: Globals). */
export const Globals = Operation.make("globals", {
  summary: "Show global variables",
  description: "Shows the global and static variables that the frame's source file sees, by pages; names pick some.",
  tier: "observe",
  payload: {
    names: Operation.withDefault(Schema.Array(Schema.String).annotate({ description: "Only these" }), []),
    start: Field.start,
    count: Field.limit(1000, 50, "Most variables to show"),
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["names"],
  data: Schema.Struct({
    frame: Frame,
    variables: Schema.Array(Variable),
    total: Schema.Int,
    not_found: Schema.Array(Schema.String)
  }),
  errors: stopped,
  examples: [{ title: "All of them", input: {} }]
})

/** Compares the selected frame with the stop at which it was seen before. */
export const Changed = Operation.make("changed", {
  summary: "Show what differs from the previous stop",
  description:
    "Compares variables of the selected frame, the function, and output with the stop at which they were reported before.",
  tier: "observe",
  payload: { session: Field.session },
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
  errors: [...stopped, Errors.InvalidState],
  examples: [{ title: "What did that step do", input: {} }]
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
