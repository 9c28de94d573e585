/**
 * `debuggers`: what can be debugged on the machine of the daemon.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Operation from "../Operation.ts"

/**
 * A debugger on the machine of the daemon. Without a path none of its kind is installed. `problem` says why it cannot be used, and
 * `remedy` what to do about that.
 */
export class InstalledDebugger extends Model.of<InstalledDebugger>()(
  Schema.Struct({
    name: Schema.String,
    languages: Schema.Array(Schema.String),
    path: Schema.optionalKey(Schema.String),
    version: Schema.optionalKey(Schema.String),
    problem: Schema.optionalKey(Schema.String),
    remedy: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "InstalledDebugger" })
) {}

/** Lists the debuggers of each kind that the daemon finds with its own environment. */
export class Debuggers extends Operation.make("debuggers", () => ({
  summary: "List the debuggers that the daemon finds",
  description:
    "Lists the debuggers that the daemon finds on its own PATH, with version, path and languages. Sessions that are started over HTTP or in the page use these. Starts no session. On a command line, adapters lists the debuggers of your own PATH, and doctor tests them.",
  effect: "observe",
  effects: {},
  family: "capabilities",
  payload: {},
  data: Schema.Struct({ debuggers: Schema.Array(InstalledDebugger) }),
  errors: [],
  examples: [{ title: "List all of them", input: {} }]
})) {}
