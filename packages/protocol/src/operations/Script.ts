/**
 * `script`: several commands in one call.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"

/** A command of a script: lines as on the command line, or an operation with its input. */
export const ScriptCommand = Schema.Union([
  Schema.NonEmptyString,
  Schema.Struct({
    operation: Schema.NonEmptyString,
    input: Operation.optional(Schema.Record(Schema.String, Schema.Json))
  })
])
/** A command of a script. */
export type ScriptCommand = typeof ScriptCommand.Type

/** Calls other operations, one after the other. */
export class Script extends Operation.make("script", () => ({
  summary: "Run several commands in one call",
  tool: "Run commands in one call until one fails",
  description:
    "Runs commands in order and ends at the first failure; the answer has the answer of each. A command is written as on the command line without the program's name, or as an operation with its input. ; and line breaks separate commands, # begins a comment. expect KEY=VALUE checks the answer before it, such as expect data.exit_code=3. The effects of all commands are checked before the first one runs.",
  effect: "control",
  effects: { commands: "observe", file: "read-file", keep_going: "observe", at_stop: "observe" },
  composite: true,
  readsEffects: true,
  leavesStopped: false,
  frequency: "everyday",
  everyday: ["commands", "session"],
  payload: {
    commands: Operation.withDefault(
      Schema.Array(ScriptCommand).annotate({
        description: 'Such as "start ./app --break main", or {operation, input}',
        ...FieldFacts.placeholder("COMMANDS")
      }),
      []
    ),
    file: Field.optionalText("FILE", "File of further commands, one a line"),
    keep_going: Field.flag("Run the rest after a failure"),
    at_stop: Field.atStop,
    environment: Field.environment("Environment of programs that the commands start"),
    settings: Field.settings,
    session: Field.session
  },
  positional: ["commands"],
  data: Schema.Struct({
    results: Schema.Array(Schema.Record(Schema.String, Schema.Json)),
    done: Schema.Int,
    failed_at: Operation.optional(Schema.Int)
  }),
  errors: [Errors.Usage, Errors.Permission],
  examples: [
    {
      title: "Set a breakpoint, run to it and read a variable",
      input: { commands: ["break sum_scores; continue; print total"] }
    },
    {
      title: "Step and check",
      input: { commands: ["next 2", "expect state=stopped"] }
    }
  ]
})) {}
