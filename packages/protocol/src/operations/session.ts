/**
 * Operations on sessions as a whole: begin, look, wait, end.
 */
import * as Schema from "effect/Schema"
import { Breakpoint } from "../Breakpoint.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import { Position } from "../Location.ts"
import * as Operation from "../Operation.ts"
import { Adapter, Feature, SessionState } from "../Session.ts"
import { StopReason, StopReport } from "../Stop.ts"
import * as Beginning from "./beginning.ts"

/** What `start` adds to the stop report. */
export const Started = Schema.Struct({
  ...StopReport.fields,
  session: Schema.String,
  pid: Schema.optionalKey(Schema.Int),
  adapter: Adapter,
  program: Schema.String,
  args: Schema.Array(Schema.String),
  /** The program has a terminal: its two output streams are one. */
  channels: Schema.optionalKey(Schema.Literal("merged")),
  set_breakpoints: Schema.Array(Breakpoint)
}).annotate({ identifier: "Started" })
/** What `start` adds to the stop report. */
export type Started = typeof Started.Type

/** Starts a program under the debugger (DAP `launch`). */
export const Start = Operation.make("start", {
  summary: "Start a program under the debugger",
  description:
    "Starts a program (native, Python, Go or JavaScript) under its debugger, sets breakpoints, runs it to its first stop and answers with the stop report: why and where it stopped, source, locals, new output. A breakpoint that does not resolve is an error and the program is not run, unless pending is set.",
  tier: "admin",
  execution: "start",
  frequency: "basic",
  everyday: ["program", "args", "break", "stdin", "session"],
  destructive: false,
  privileged: ["adapter_opt", "init_cmd", "pre_run_cmd", "stop_cmd", "replace"],
  payload: {
    program: Operation.optional(
      Schema.NonEmptyString.annotate({
        description: "Executable built with -g, or a source file that its debugger runs: app.py, main.go"
      })
    ),
    args: Operation.withDefault(Schema.Array(Schema.String).annotate({ description: "Arguments of the program" }), []),
    ...Beginning.breakpoints,
    ...Beginning.sources,
    stop_on_entry: Operation.withDefault(
      Schema.Boolean.annotate({
        description: "Stop at the first instruction of the process",
        ...FieldFacts.setting("defaults.stop_on_entry")
      }),
      false
    ),
    stop_at_main: Operation.withDefault(Schema.Boolean.annotate({ description: "Stop at the function main" }), false),
    run: Operation.withDefault(
      Schema.Boolean.annotate({ description: "Begin the program; otherwise it is loaded, and run begins it" }),
      true
    ),
    cwd: Operation.optional(Schema.String.annotate({ description: "Working directory of the program" })),
    env: Operation.withDefault(
      Schema.Array(Schema.String).annotate({ description: "Variables for the program, as NAME=VALUE" }),
      []
    ),
    env_file: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "File of NAME=VALUE lines, set before env" })
    ),
    unset_env: Operation.optional(
      Schema.Array(Schema.String).annotate({ description: "Variables that the program shall not have" })
    ),
    clear_env: Operation.optional(Schema.Boolean.annotate({ description: "Inherit no variable" })),
    arg_file: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "File of arguments, one on each line, before args" })
    ),
    stdin: Operation.optional(Schema.String.annotate({ description: "File the program reads as standard input" })),
    stdout: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "File that takes standard output, instead of us" })
    ),
    stderr: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "File that takes standard error, instead of us" })
    ),
    merge_stderr: Operation.optional(
      Schema.Boolean.annotate({ description: "Standard error goes where standard output goes" })
    ),
    terminal: Operation.optional(
      Schema.Literals(["none", "pty", "external"]).annotate({
        description: "The program's terminal; pty merges its output"
      })
    ),
    aslr: Operation.optional(
      Schema.Literals(["on", "off"]).annotate({ description: "Addresses that differ from run to run; off otherwise" })
    ),
    ...Beginning.debuggers,
    pre_run_cmd: Operation.optional(
      Schema.Array(Schema.String).annotate({ description: "Debugger commands after loading, before the program runs" })
    ),
    ...Beginning.session,
    wait_for: Operation.optional(
      Schema.Literals(["stop", "running", "loaded"]).annotate({
        description: "Answer at the first stop, once it runs, or once it is loaded"
      })
    ),
    ...Field.reportWithin("timeouts.launch")
  },
  positional: ["program"],
  rest: "args",
  data: Started,
  errors: [...Beginning.errors, Errors.InvalidConfig],
  examples: [
    { title: "Stop where the sum is made", input: { program: "./app", break: ["app.c:14"], args: ["one", "two"] } },
    { title: "Stop in a function when a value is large", input: { program: "./app", break: ["sum_scores if n > 2"] } }
  ]
})

/** How a session was ended. */
export const Ended = Schema.Struct({
  name: Schema.String,
  program: Schema.String,
  how: Schema.Literals(["killed", "detached", "already-ended"]),
  /** How it stood before. */
  state: SessionState,
  exit_code: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Ended" })
/** How a session was ended. */
export type Ended = typeof Ended.Type

/** Sessions that were ended, and what of them is still there although it should not be. */
export const EndedSessions = Schema.Struct({
  sessions: Schema.Array(Ended),
  leftovers: Schema.Array(Schema.Struct({ pid: Schema.Int, name: Schema.String }))
}).annotate({ identifier: "EndedSessions" })

/** Ends sessions: launched programs are killed, attached ones let go (DAP `disconnect`). */
export const Stop = Operation.make("stop", {
  summary: "End a session",
  description:
    "Ends a session: a launched program is killed, an attached one is let go, unless kill or detach says otherwise. Debugger, program and temporary files are gone when it answers; leftovers lists what is not. Names the sessions it ended; the only one when none is named.",
  tier: "admin",
  frequency: "basic",
  everyday: ["session"],
  ownSession: ["names", "session", "if_exists"],
  payload: {
    names: Operation.withDefault(Schema.Array(Schema.String).annotate({ description: "Sessions to end" }), []),
    all: Operation.withDefault(Schema.Boolean.annotate({ description: "End every session" }), false),
    if_exists: Operation.withDefault(Schema.Boolean.annotate({ description: "No error when there is none" }), false),
    kill: Operation.optional(Schema.Boolean.annotate({ description: "Kill the program, also an attached one" })),
    detach: Operation.optional(Schema.Boolean.annotate({ description: "Let the program go, also a launched one" })),
    grace: Operation.optional(
      Field.Duration.annotate({
        description: "Let the program go with SIGTERM and kill it only when it is still there after so long, e.g. 2s"
      })
    ),
    session: Field.session
  },
  positional: ["names"],
  data: EndedSessions,
  errors: [...Errors.selection, Errors.Usage],
  examples: [
    { title: "End the session", input: {} },
    { title: "End all of them", input: { all: true } }
  ]
})

/** What `status` answers. */
export const Status = Schema.Struct({
  session: Schema.optionalKey(Schema.String),
  state: SessionState,
  stop: Schema.optionalKey(Schema.Int),
  reason: Schema.optionalKey(StopReason),
  description: Schema.optionalKey(Schema.String),
  breakpoints_hit: Schema.optionalKey(Schema.Array(Schema.Int)),
  location: Schema.optionalKey(Position),
  program: Schema.optionalKey(Schema.String),
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  pid: Schema.optionalKey(Schema.Int),
  adapter: Schema.optionalKey(Adapter),
  uptime_s: Schema.optionalKey(Schema.Int),
  exit_code: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  lost: Schema.optionalKey(Schema.String),
  breakpoints: Schema.optionalKey(Schema.Int),
  /** The program is loaded and was not begun. */
  loaded: Schema.optionalKey(Schema.Boolean),
  /** The rules that the session is bound by. */
  policy: Schema.optionalKey(Schema.Array(Schema.String)),
  capabilities: Schema.optionalKey(Schema.Array(Feature))
}).annotate({ identifier: "Status" })
/** What `status` answers. */
export type Status = typeof Status.Type

/** Says how a session stands; having none is no error. */
export const GetStatus = Operation.make("status", {
  summary: "Say how the session stands",
  description:
    "Answers at once with the state of a session: running, stopped and where, exited and how. Never an error when there is no session. For source and variables use context.",
  tier: "observe",
  frequency: "everyday",
  everyday: ["session"],
  payload: {
    capabilities: Operation.optional(Schema.Boolean.annotate({ description: "Also what works here, and by whom" })),
    session: Field.session
  },
  data: Status,
  errors: [Errors.SessionNotFound, Errors.AmbiguousSession],
  examples: [{ title: "See how it stands", input: {} }]
})

/** Waits for the next stop or the end, without resuming. */
export const Wait = Operation.make("wait", {
  summary: "Wait until the program stops or ends",
  description:
    "Waits for the next stop or the end of the program and answers with its report; at once when it is stopped already and nothing resumed it since. Does not resume anything. Any number of callers may wait.",
  tier: "observe",
  execution: "wait",
  frequency: "basic",
  everyday: ["session", "timeout"],
  payload: {
    after: Operation.optional(Schema.Int.annotate({ description: "Only a stop newer than this number" })),
    for: Operation.optional(
      Schema.NonEmptyString.annotate({
        description: "What to wait for: stop, exit, any, breakpoint:ID, state:running, output:/RE/"
      })
    ),
    timeout: Field.report.timeout,
    context: Field.report.context,
    lines: Field.report.lines,
    session: Field.session
  },
  data: StopReport,
  errors: [...Errors.selection, Errors.InvalidState, Errors.Usage, Errors.WaitTimeout],
  examples: [{ title: "Wait up to a minute", input: { timeout: "1m" } }]
})
