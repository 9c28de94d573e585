/**
 * The fields and errors that operations which start a session share: breakpoints to set first, debugger options, policy
 * and the session's own properties.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"

/** Breakpoints, logpoints and exceptions to set before the program runs. An unresolved one is an error unless `pending`. */
export const breakpoints = {
  break: Field.wordList("LOCATION", 'Where to stop first: "app.c:14", "main", "app.c:14 if n > 2"'),
  logpoint: Field.optionalWords("LOCATION", "Messages to log: LOCATION [if EXPR] :: TEXT with {expr}"),
  catch: Field.optionalWords("EXCEPTION", "Exceptions to stop at, such as throw, uncaught, panic"),
  pending: Field.flag("Allow breakpoints in libraries that are not loaded yet")
}

/** The command that builds the program before it starts. No shell runs, but it can run any program. */
export const build = Field.optionalText("COMMAND", "Build command to run first, such as 'make app'")

/** The test runners whose tests can be debugged one at a time. The last three are older names. */
const Runner = Schema.Literals([
  "auto",
  "cargo",
  "nextest",
  "go",
  "pytest",
  "unittest",
  "ctest",
  "gtest",
  "catch2",
  "vitest",
  "jest",
  "mocha",
  "node",
  "bun",
  "deno",
  "swift",
  "xctest",
  "cargo-test",
  "go-test",
  "node-test"
])

/** Sources of the program other than its path: a launch.json or a test runner. */
export const sources = {
  launch_json: Field.optionalText("FILE", "File launch.json to take the program from"),
  launch_config: Field.optionalText("NAME", "Configuration name (in the nearest .vscode/launch.json)"),
  build,
  runner: Operation.optional(
    Runner.annotate({
      description: "Test runner: cargo, go, pytest, gtest, ..., or auto",
      ...FieldFacts.placeholder("KIND")
    })
  ),
  test: Field.optionalText("NAME", "Test to debug, with runner"),
  at_failure: Field.optionalFlag("Stop where a test fails (on with runner)")
}

/** Which process the debugger keeps when the program forks; the other one runs without it. */
export const followFork = Operation.optional(
  Schema.Literals(["parent", "child"]).annotate({ description: "Process to debug after a fork (parent)" })
)

/** Which debugger to use, and its options. */
export const debuggers = {
  adapter: Field.optionalText("ADAPTER", "Debug adapter: lldb-dap, gdb, a configured one, path (auto)"),
  backend: Field.backend,
  adapter_opt: Field.optionalWords("KEY=JSON", "Options passed to the adapter unchanged"),
  init_cmd: Field.optionalWords("COMMAND", "Debugger commands to run before the program is loaded"),
  stop_cmd: Field.optionalWords("COMMAND", "Debugger commands to run at each stop"),
  source_map: Field.optionalWords("FROM=TO", "Map source paths of the debug information to local paths"),
  sources: Field.optionalWords("DIR", "Further directories whose source text may be shown")
}

/** What the session may not do. */
const policy = {
  read_only: Field.optionalFlag("Read only: no eval, set, memory write, raw or restart"),
  deny: Operation.optional(
    Schema.Array(Schema.Literals(["eval", "set", "memory-write", "raw"])).annotate({
      description: "Operations to refuse in this session"
    })
  )
}

/** The session's own properties. */
export const session = {
  ...policy,
  replace: Field.flag("End a live session of the same name first"),
  label: Field.optionalText("TEXT", "Note to show in the list of sessions"),
  ttl: Operation.optional(
    Field.Duration.annotate({
      description: "End the session after this idle time (30m); inf: never",
      ...FieldFacts.setting("session.idle")
    })
  ),
  session: Field.session,
  settings: Field.settings,
  environment: Field.environment("Caller's environment, for the program and the debugger")
}

/** The effects of these fields. */
export const effects = {
  breakpoints: { break: "location", logpoint: "logpoint", catch: "observe", pending: "observe" },
  sources: {
    launch_json: "read-file",
    launch_config: "read-file",
    build: "raw",
    runner: "launch",
    test: "observe",
    at_failure: "observe"
  },
  debuggers: {
    adapter: "launch",
    backend: "observe",
    adapter_opt: "raw",
    init_cmd: "raw",
    stop_cmd: "raw",
    source_map: "read-file",
    sources: "read-file"
  },
  session: { read_only: "observe", deny: "observe", replace: "launch", label: "observe", ttl: "observe" }
} as const

/** The errors of starting a session. */
export const errors: ReadonlyArray<StartError> = [
  Errors.AdapterNotFound,
  Errors.VersionTooOld,
  Errors.AdapterStartFailed,
  Errors.LaunchFailed,
  Errors.AttachFailed,
  Errors.Permission,
  Errors.SessionExists,
  Errors.ProgramNotFound,
  Errors.TestNotFound,
  Errors.ToolMissing,
  Errors.SourceNotFound,
  Errors.InvalidLocation,
  Errors.BreakpointUnresolved,
  Errors.Usage,
  Errors.WaitTimeout
]

/** The class of an error of starting a session. */
export type StartError =
  | typeof Errors.AdapterNotFound
  | typeof Errors.VersionTooOld
  | typeof Errors.AdapterStartFailed
  | typeof Errors.LaunchFailed
  | typeof Errors.AttachFailed
  | typeof Errors.Permission
  | typeof Errors.SessionExists
  | typeof Errors.ProgramNotFound
  | typeof Errors.TestNotFound
  | typeof Errors.ToolMissing
  | typeof Errors.SourceNotFound
  | typeof Errors.InvalidLocation
  | typeof Errors.BreakpointUnresolved
  | typeof Errors.Usage
  | typeof Errors.WaitTimeout
