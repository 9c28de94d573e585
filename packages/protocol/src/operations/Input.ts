/**
 * `input`: the standard input of the program.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"

/** Writes to the standard input of the program. */
export class Input extends Operation.make("input", () => ({
  summary: "Write to the program's standard input",
  description:
    "Sends a line, or the contents of a file, to a program that was launched by sigtrap. eof closes its input afterwards. Answers when the pipe has accepted the data; pending is true while the pipe is full and the program does not read.",
  effect: "control",
  effects: { text: "observe", newline: "observe", file: "read-file", eof: "observe" },
  payload: {
    text: Operation.optional(
      Schema.String.annotate({ description: "Line to send", ...FieldFacts.placeholder("TEXT") })
    ),
    newline: Field.flagOn("End the line with a newline"),
    file: Field.optionalText("FILE", "Send this file instead of a line"),
    eof: Field.flag("Close the input afterwards"),
    session: Field.session
  },
  bytes: ["text"],
  positional: ["text"],
  sentence: "text",
  data: Schema.Struct({ bytes: Schema.Int, eof: Schema.Boolean, pending: Schema.Boolean }),
  errors: [...Errors.selection, Errors.Usage, Errors.Permission],
  examples: [
    { title: "Answer a question of the program", input: { text: "yes" } },
    { title: "Close its input", input: { eof: true } }
  ]
})) {}
