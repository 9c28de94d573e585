/**
 * `attach`, `core`, `connect` and `detach`: sessions with a running process, a core file or a debug server (DAP `attach`,
 * `disconnect`).
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"
import { Started } from "./Start.ts"
import * as StartFields from "./StartFields.ts"

/** The fields of the debugger, the session and the report. These operations always wait, so the report has no `wait`. */
interface Existing {
  readonly fields: typeof StartFields.debuggers &
    typeof StartFields.session &
    Omit<ReturnType<typeof Field.reportWithin>, "wait">
}

const existing = (setting: string): Existing => {
  const { wait: _, ...report } = Field.reportWithin(setting)
  return { fields: { ...StartFields.debuggers, ...StartFields.session, ...report } }
}

/** Attaches to a running process (DAP `attach` with a pid). */
export class Attach extends Operation.make("attach", () => ({
  summary: "Attach to a running process",
  tool: "Attach to a process; it keeps running unless pause is true",
  description:
    "Attaches to a process you own, by PID or exact name, and sets the breakpoints. The process keeps running unless pause is set. Returns its command line and, with pause, the stop. Ending the session detaches and leaves it running.",
  effect: "launch",
  effects: {
    pid: "launch",
    name: "launch",
    include_existing: "observe",
    program: "read-file",
    descend: "observe",
    pause: "observe",
    follow_fork: "observe",
    ...StartFields.effects.breakpoints,
    ...StartFields.effects.debuggers,
    ...StartFields.effects.session
  },
  execution: "start",
  frequency: "everyday",
  everyday: ["pid", "name", "pause", "session"],
  destructive: false,
  payload: Model.before(
    {
      pid: Field.optionalInteger(1, 2 ** 31, "Process id", "PID"),
      name: Field.optionalText("NAME", "Exact name of its executable"),
      wait: Field.flag("Wait until a new process of that name starts"),
      include_existing: Field.flag("With wait: also accept a process that already runs"),
      program: Field.optionalText("FILE", "Executable for symbols; with descend, the child's"),
      descend: Field.optionalFlag("Attach to the descendant process that runs program"),
      pause: Field.flag("Stop the process and answer with the stop"),
      follow_fork: StartFields.followFork,
      ...StartFields.breakpoints
    },
    existing("timeouts.attach")
  ),
  positional: ["pid"],
  data: Started,
  errors: [...StartFields.errors, Errors.ProcessNotFound],
  examples: [
    { title: "Stop a server and show where it is", input: { name: "server", pause: true } },
    { title: "Wait for the next worker", input: { name: "worker", wait: true, break: ["work"] } }
  ]
})) {}

/** Opens a core file (DAP `attach` with a core file). */
export class Core extends Operation.make("core", () => ({
  summary: "Open a core file",
  description:
    "Opens the core file of a crashed program and returns its fatal stop. Reading operations work. Operations that resume or change the program fail with INVALID_STATE.",
  effect: "launch",
  effects: { file: "launch", program: "read-file", ...StartFields.effects.debuggers, ...StartFields.effects.session },
  execution: "start",
  destructive: false,
  payload: Model.before(
    {
      file: Field.text("FILE", "Core file"),
      program: Field.optionalText("FILE", "Executable that crashed, built with -g")
    },
    existing("timeouts.launch")
  ),
  positional: ["file"],
  data: Schema.Struct(
    Model.extended(Started, {
      core: Schema.String,
      fatal_signal: Schema.optionalKey(Schema.String),
      fault_address: Schema.optionalKey(Schema.String)
    })
  ),
  errors: StartFields.errors,
  examples: [{ title: "Show where it crashed", input: { file: "core.4711", program: "./app" } }]
})) {}

/** Connects to a debug server of the GDB remote protocol, or to a listening debug adapter. */
export class Connect extends Operation.make("connect", () => ({
  summary: "Connect to a debug server",
  description:
    "Connects to a gdbserver, lldb-server, debugserver or listening debug adapter at HOST:PORT. Returns the stop of its program.",
  effect: "launch",
  effects: {
    address: "launch",
    program: "read-file",
    path_map: "read-file",
    ...StartFields.effects.breakpoints,
    ...StartFields.effects.debuggers,
    ...StartFields.effects.session
  },
  execution: "start",
  destructive: false,
  payload: Model.before(
    {
      address: Field.text("HOST:PORT", "Address of the server"),
      program: Field.optionalText("FILE", "Executable on this machine, for symbols"),
      wait: Field.optionalDuration("Retry until the server listens, at most this long"),
      path_map: Field.optionalWords("REMOTE=LOCAL", "Map source paths of the server to local directories"),
      ...StartFields.breakpoints
    },
    existing("timeouts.launch")
  ),
  positional: ["address"],
  data: Started,
  errors: StartFields.errors,
  examples: [
    { title: "Connect to a gdbserver on this machine", input: { address: "localhost:2345", program: "./app" } }
  ]
})) {}

/** Ends a session and leaves its program running (DAP `disconnect` without terminating). */
export class Detach extends Operation.make("detach", () => ({
  summary: "Detach from the program and end the session",
  description:
    "Removes the breakpoints, resumes the program and ends the session. Returns whether the process is alive, suspended or still traced. To kill the program use stop.",
  effect: "control",
  effects: { suspended: "observe" },
  endsSession: true,
  frequency: "common",
  payload: {
    suspended: Field.optionalFlag("Leave it stopped by SIGSTOP; kill -CONT resumes it"),
    session: Field.session
  },
  data: Schema.Struct({
    pid: Schema.optionalKey(Schema.Int),
    alive: Schema.optionalKey(Schema.Boolean),
    suspended: Schema.optionalKey(Schema.Boolean),
    traced: Schema.optionalKey(Schema.Boolean),
    /** What the end of the debugger means for the program, if the debugger had to be killed. */
    problem: Schema.optionalKey(Schema.String)
  }),
  errors: [...Errors.selection, Errors.InvalidState],
  examples: [{ title: "Leave it running", input: {} }]
})) {}
