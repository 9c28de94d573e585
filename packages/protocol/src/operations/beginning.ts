/**
 * What operations that begin a session have in common: breakpoints to set first, what the debugger is told, and what the
 * session is called.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"

const flag = (description: string) => Operation.withDefault(Schema.Boolean.annotate({ description }), false)
const text = (description: string) => Operation.optional(Schema.NonEmptyString.annotate({ description }))
const texts = (description: string) => Operation.optional(Schema.Array(Schema.String).annotate({ description }))

/** What shall stop the program or write something; an error when it binds nowhere, unless `pending`. */
export const breakpoints = {
  break: Operation.withDefault(
    Schema.Array(Schema.String).annotate({ description: "Breakpoints to set first: LOCATION [if EXPR]" }),
    []
  ),
  logpoint: texts("Logpoints to set first: LOCATION [if EXPR] :: MESSAGE with {expr}"),
  catch: texts("Exceptions to stop at, e.g. throw, uncaught, panic"),
  pending: flag("Let breakpoints wait for a library that has their place")
}

/** What builds a program before it is started; an argument vector, for which no shell is started. */
export const build = text("Command to run first, e.g. 'make app'; when it fails nothing is started")

/** The test runners whose tests can be debugged one at a time. */
export const Runner = Schema.Literals(["cargo-test", "go-test", "pytest", "node-test", "xctest", "ctest"])

/** Where the program comes from, when it is not simply named. */
export const sources = {
  launch_json: text("An editor's launch.json to take the program from"),
  launch_config: text("Name of the configuration in it; .vscode/launch.json above the directory without launch_json"),
  build,
  runner: Operation.optional(Runner.annotate({ description: "Debug one test of this runner: builds and finds it" })),
  test: text("The test that the runner shall run")
}

/** Which debugger it shall be and what it is told beside what is needed. */
export const debuggers = {
  adapter: text(
    "Debug adapter: lldb-dap, debugpy, delve, js-debug, gdb, codelldb, lldb, or a path; chosen by the program when left out"
  ),
  backend: Field.backend,
  adapter_opt: texts("Passed to the adapter as it is: KEY=JSON"),
  init_cmd: texts("Debugger commands before the program is loaded"),
  stop_cmd: texts("Debugger commands at each stop"),
  source_map: texts("Where sources are that were compiled elsewhere: FROM=TO")
}

/** What the session may not do. */
const policy = {
  read_only: Operation.optional(
    Schema.Boolean.annotate({ description: "Only look: no eval, set, memory write, raw or restart" })
  ),
  deny: Operation.optional(
    Schema.Array(Schema.Literals(["eval", "set", "memory-write", "raw"])).annotate({
      description: "What the session may not do, whichever way it is asked"
    })
  )
}

/** What the session is. */
export const session = {
  ...policy,
  replace: flag("End a live session of the same name first"),
  label: text("A note that the list of sessions shows"),
  ttl: Operation.optional(
    Field.Duration.annotate({
      description: "End the session when it is unused for so long, e.g. 30m; inf never does",
      ...FieldFacts.setting("session.idle")
    })
  ),
  session: Field.session,
  settings: Field.settings,
  environment: Operation.optional(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "The caller's environment, for the program and to look for the debugger"
    })
  )
}

/** What can go wrong. */
export const errors = [
  Errors.AdapterNotFound,
  Errors.VersionTooOld,
  Errors.AdapterStartFailed,
  Errors.LaunchFailed,
  Errors.AttachFailed,
  Errors.Permission,
  Errors.SessionExists,
  Errors.ProgramNotFound,
  Errors.SourceNotFound,
  Errors.InvalidLocation,
  Errors.BreakpointUnresolved,
  Errors.Usage,
  Errors.WaitTimeout
] as const
