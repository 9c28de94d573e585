/**
 * `raw`: commands of the debugger's own console.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"

/** Runs one command in the debugger's console (LLDB's or GDB's inside the adapter). */
export class Raw extends Operation.make("raw", () => ({
  summary: "Run a debugger command",
  description:
    "Runs one command of the underlying debugger, such as image list, in the selected frame, and returns its output unchanged. Session state is refreshed afterwards, so commands that resume or select a frame are detected. Commands that need a terminal are refused.",
  effect: "raw",
  effects: { command: "raw" },
  verbatim: true,
  payload: {
    command: Field.text("COMMAND", "One line for the debugger's console"),
    timeout: Field.timeout("timeouts.request"),
    session: Field.session
  },
  positional: ["command"],
  sentence: "command",
  data: Schema.Struct({ output: Schema.String, state_changed: Schema.Boolean }),
  errors: [...Errors.selection, Errors.Usage],
  examples: [{ title: "List the loaded images", input: { command: "image list" } }]
})) {}
