/**
 * Operations on the variables of a stopped program: `locals`, `args`, `globals`, `vars`, `find` and `set`.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import { Frame } from "../model/Frame.ts"
import { Position } from "../model/Location.ts"
import * as Operation from "../Operation.ts"
import { Variable } from "../model/Variable.ts"
import { inFrame, stopped } from "./StopErrors.ts"

/** The variables of a frame, and the requested names that are not variables. */
class Named extends Model.of<Named>()(
  Schema.Struct({
    frame: Frame,
    variables: Schema.Array(Variable),
    total: Schema.Int,
    not_found: Schema.Array(Schema.String)
  })
) {}

/** Lists arguments and local variables of a frame (DAP `scopes`, `variables`). */
export class Locals extends Operation.make("locals", () => ({
  summary: "Show the local variables",
  description:
    "Shows the arguments and local variables of a frame by pages; names select some of them. To open a reference such as @v3 use print.",
  effect: "observe",
  effects: {
    names: "observe",
    scope: "observe",
    filter: "observe",
    type: "observe",
    uninitialized: "observe",
    sort: "observe",
    full: "observe",
    changed: "observe",
    depth: "observe"
  },
  frequency: "basic",
  everyday: ["names", "frame", "session"],
  payload: {
    names: Field.wordList("NAME", "Only these variables (all)"),
    scope: Operation.withDefault(
      Schema.Array(Schema.Literals(["locals", "args", "statics", "globals", "registers", "all"])).annotate({
        description: "Which variables (args and locals)"
      }),
      []
    ),
    filter: Field.optionalText("PATTERN", "Only names that match: word, * as wildcard, or /REGEX/"),
    type: Field.optionalText("REGEX", "Only types that match"),
    uninitialized: Field.flagOn("Include uninitialized and optimized-out variables"),
    sort: Field.flag("Sort by name"),
    full: Field.flag("Show whole values with their members"),
    max_string: Field.maxString,
    reveal: Field.reveal,
    changed: Field.flag("Only what changed since the previous stop"),
    depth: Operation.withDefault(Field.valueDepth, 0),
    frame: Field.frame,
    thread: Field.thread,
    start: Field.start,
    count: Field.limit(1000, 50, "Most variables to show"),
    session: Field.session
  },
  positional: ["names"],
  completes: "expressions",
  data: Named,
  errors: [...inFrame, Errors.Usage],
  examples: [
    { title: "Show all of them", input: {} },
    { title: "Show two of them", input: { names: ["total", "i"] } }
  ]
})) {}

/** Lists the arguments of a frame. */
export class Arguments extends Operation.make("args", () => ({
  summary: "Show the arguments of the frame",
  description: "Shows the arguments of the function of a frame. locals shows them together with the local variables.",
  effect: "observe",
  effects: {},
  family: "locals",
  payload: {
    max_string: Field.maxString,
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  data: Schema.Struct({ frame: Frame, variables: Schema.Array(Variable), total: Schema.Int }),
  errors: inFrame,
  examples: [{ title: "Show the arguments", input: {} }]
})) {}

/** Lists global and static variables (DAP `scopes`: Globals). */
export class Globals extends Operation.make("globals", () => ({
  summary: "Show global variables",
  description:
    "Shows global and static variables by pages: first those of the frame's source file, then those of the other files. Names or a file select some of them.",
  effect: "observe",
  effects: { names: "observe", file: "observe" },
  family: "locals",
  payload: {
    names: Field.wordList("NAME", "Only these variables (all)"),
    file: Field.optionalText("FILE", "Only variables of this source file"),
    start: Field.start,
    count: Field.limit(1000, 50, "Most variables to show"),
    max_string: Field.maxString,
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["names"],
  completes: "expressions",
  data: Named,
  errors: [...inFrame, Errors.SourceNotFound],
  examples: [
    { title: "Show all of them", input: {} },
    { title: "Show those of one file", input: { file: "pool.c" } }
  ]
})) {}

/** Reads variables by name: arguments, locals, statics or globals. */
export class Vars extends Operation.make("vars", () => ({
  summary: "Show variables by name",
  description:
    "Shows the named variables: arguments, locals, statics or globals. Lists names that do not exist. For expressions use print.",
  effect: "observe",
  effects: { names: "observe", depth: "observe" },
  payload: {
    names: Field.expressions("NAME", "Variables to show"),
    depth: Operation.withDefault(Field.valueDepth, 0),
    max_string: Field.maxString,
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["names"],
  completes: "expressions",
  data: Named,
  errors: inFrame,
  examples: [{ title: "Show a local and a global", input: { names: ["total", "counter"] } }]
})) {}

/** Finds the variables, functions and types of a name. */
export class Find extends Operation.make("find", () => ({
  summary: "Find where a name is declared",
  description:
    "Looks up a name among the variables of all frames, the global variables, functions and types, and returns where each is.",
  effect: "observe",
  effects: { name: "observe", kind: "observe" },
  payload: {
    name: Field.text("NAME", "Variable, function or type"),
    kind: Operation.withDefault(
      Schema.Array(Schema.Literals(["var", "func", "type"])).annotate({ description: "Only these kinds (all)" }),
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
  examples: [{ title: "Find every total", input: { name: "total" } }]
})) {}

/** Assigns a value and reads it back (DAP `evaluate`). */
export class SetValue extends Operation.make("set", () => ({
  summary: "Change a variable",
  description:
    "Assigns a value to a variable, member, element or reference. Returns the old value and the new value as read back.",
  effect: "write-memory",
  effects: { target: "operand", value: "operand" },
  frequency: "everyday",
  everyday: ["target", "value", "session"],
  payload: {
    target: Field.text("EXPR", "Variable, member or reference"),
    value: Field.text("VALUE", "New value: an expression"),
    max_string: Field.maxString,
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["target", "value"],
  completes: "expressions",
  sentence: "value",
  data: Schema.Struct({ name: Schema.String, old: Schema.String, new: Variable }),
  errors: [...inFrame, Errors.EvaluationFailed, Errors.VariableNotFound, Errors.SideEffects],
  examples: [{ title: "Set a variable", input: { target: "n", value: "2" } }]
})) {}
