/**
 * `start` and `restart`: operations that launch a program (DAP `launch`).
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Breakpoint } from "../model/Breakpoint.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import { Adapter } from "../model/Session.ts"
import { StopReport } from "../model/Stop.ts"
import * as StartFields from "./StartFields.ts"

/** A stop report with the new session, its debugger and the breakpoints that were set. */
export class Started extends Model.of<Started>()(
  Schema.Struct(
    Model.extended(StopReport, {
      session: Schema.String,
      pid: Schema.optionalKey(Schema.Int),
      adapter: Adapter,
      program: Schema.String,
      args: Schema.Array(Schema.String),
      /** Set if the program has a terminal: stdout and stderr are one stream. */
      channels: Schema.optionalKey(Schema.Literal("merged")),
      set_breakpoints: Schema.Array(Breakpoint)
    })
  ).annotate({ identifier: "Started" })
) {}

/** Starts a program under the debugger (DAP `launch`). */
export class Start extends Operation.make("start", () => ({
  summary: "Start a program under the debugger",
  tool: "Start a program; answers with its first breakpoint, crash or end. Also cwd, env, stop_on_entry (see operate)",
  description:
    "Starts a native, Python, Go or JavaScript program under its debugger, sets the breakpoints and runs it to the first stop. Returns the stop report. Fails without running the program if a breakpoint does not resolve, unless pending is set. For a running process use attach.",
  effect: "launch",
  effects: {
    program: "launch",
    args: "observe",
    ...StartFields.effects.breakpoints,
    ...StartFields.effects.sources,
    ...StartFields.effects.debuggers,
    ...StartFields.effects.session,
    stop_on_entry: "observe",
    stop_at_main: "observe",
    run: "observe",
    cwd: "observe",
    env: "observe",
    env_file: "read-file",
    unset_env: "observe",
    clear_env: "observe",
    arg_file: "read-file",
    stdin: "read-file",
    stdout: "write-file",
    stderr: "write-file",
    merge_stderr: "observe",
    terminal: "observe",
    aslr: "observe",
    follow_fork: "observe",
    pre_run_cmd: "raw",
    wait_for: "observe"
  },
  readsEffects: true,
  execution: "start",
  frequency: "basic",
  everyday: ["program", "args", "break", "stdin", "session"],
  destructive: false,
  payload: {
    program: Field.optionalText("PROGRAM", "Executable (built with -g) or source: app.py, main.go"),
    args: Field.wordList("ARG", "Arguments of the program"),
    ...StartFields.breakpoints,
    ...StartFields.sources,
    stop_on_entry: Operation.withDefault(
      Schema.Boolean.annotate({
        description: "Stop at the first instruction of the process",
        ...FieldFacts.setting("defaults.stop_on_entry")
      }),
      false
    ),
    stop_at_main: Field.flag("Stop at the function main"),
    run: Field.flagOn("Run the program after loading it"),
    cwd: Operation.optional(
      Schema.String.annotate({ description: "Working directory of the program", ...FieldFacts.placeholder("DIR") })
    ),
    env: Field.wordList("NAME=VALUE", "Environment variables of the program"),
    env_file: Field.optionalText("FILE", "File of NAME=VALUE lines, applied before env"),
    unset_env: Field.optionalWords("NAME", "Environment variables to remove"),
    clear_env: Field.optionalFlag("Inherit no environment variables"),
    arg_file: Field.optionalText("FILE", "File of arguments, one per line, before args"),
    stdin: Operation.optional(
      Schema.String.annotate({
        description: "File for standard input",
        ...FieldFacts.placeholder("FILE")
      })
    ),
    stdout: Field.optionalText("FILE", "Write standard output to a file instead of capturing it"),
    stderr: Field.optionalText("FILE", "Write standard error to a file instead of capturing it"),
    merge_stderr: Field.optionalFlag("Send standard error where standard output goes"),
    terminal: Operation.optional(
      Schema.Literals(["none", "pty", "external"]).annotate({
        description: "Terminal of the program (none); pty merges its output"
      })
    ),
    aslr: Operation.optional(
      Schema.Literals(["on", "off"]).annotate({ description: "Randomize addresses, as outside a debugger (off)" })
    ),
    follow_fork: StartFields.followFork,
    ...StartFields.debuggers,
    pre_run_cmd: Field.optionalWords("COMMAND", "Debugger commands to run after loading, before running"),
    ...StartFields.session,
    wait_for: Operation.optional(
      Schema.Literals(["stop", "running", "loaded"]).annotate({
        description: "Answer when stopped, running or loaded (stop)"
      })
    ),
    ...Field.reportWithin("timeouts.launch")
  },
  positional: ["program"],
  rest: "args",
  data: Started,
  errors: [...StartFields.errors, Errors.InvalidConfig],
  examples: [
    { title: "Stop at a line", input: { program: "./app", break: ["app.c:14"], args: ["one", "two"] } },
    { title: "Stop in a function if a value is large", input: { program: "./app", break: ["sum_scores if n > 2"] } }
  ]
})) {}

/** Restarts the program of a session. */
export class Restart extends Operation.make("restart", () => ({
  summary: "Start the same program again",
  description:
    "Kills the program and starts it again with the same arguments, environment and breakpoints. Breakpoints keep their numbers, and stop numbers continue. New args replace the old ones. Returns the first stop.",
  effect: "control",
  effects: { args: "launch", stop_on_entry: "observe", build: "raw" },
  destructive: true,
  endsSession: true,
  execution: "restart",
  frequency: "common",
  payload: {
    args: Field.optionalWords("ARG", "New arguments of the program"),
    stop_on_entry: Field.optionalFlag("Stop at the first instruction (as at the start)"),
    build: StartFields.build,
    session: Field.session,
    environment: StartFields.session.environment,
    ...Field.reportWithin("timeouts.launch")
  },
  rest: "args",
  data: Started,
  errors: [...Errors.selection, ...StartFields.errors, Errors.InvalidState],
  examples: [
    { title: "Run it again", input: {} },
    { title: "Run it with other arguments", input: { args: ["--seed", "2"] } }
  ]
})) {}
