/**
 * Operations on what is there already: a process, a core file, a debug server; letting go, and beginning again.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"
import * as Beginning from "./beginning.ts"
import { Started } from "./session.ts"

const flag = (description: string) => Operation.withDefault(Schema.Boolean.annotate({ description }), false)
const path = (description: string) => Operation.optional(Schema.NonEmptyString.annotate({ description }))

/** The fields of a report without `wait`: the answer always waits. */
const reportWithin = (setting: string) => {
  const { wait: _, ...report } = Field.reportWithin(setting)
  return report
}

/** Attaches to a running process (DAP `attach` with a pid). */
export const Attach = Operation.make("attach", {
  summary: "Attach to a running process",
  description:
    "Takes hold of a process of the same user, by PID or exact name. It runs on unless pause is set; the answer shows its command line. Ending the session lets it go, alive.",
  tier: "admin",
  execution: "start",
  frequency: "everyday",
  everyday: ["pid", "name", "pause", "session"],
  destructive: false,
  privileged: ["adapter_opt", "init_cmd", "stop_cmd", "replace"],
  payload: {
    pid: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 31 })).annotate({ description: "Process id" })
    ),
    name: path("Name of the executable, exactly; one process must have it"),
    wait: flag("Wait until a new process of that name appears"),
    include_existing: flag("With wait: take one that is there already"),
    program: path("Its executable, for symbols; with descend that of the child"),
    descend: Operation.optional(
      Schema.Boolean.annotate({ description: "Take its descendant that runs program, as below a wrapper script" })
    ),
    pause: flag("Stop the process and answer with the stop"),
    ...Beginning.breakpoints,
    ...Beginning.debuggers,
    ...Beginning.session,
    ...reportWithin("timeouts.attach")
  },
  positional: ["pid"],
  data: Started,
  errors: [...Beginning.errors, Errors.ProcessNotFound],
  examples: [
    { title: "Stop a server and see where it is", input: { name: "server", pause: true } },
    { title: "Wait for the next worker", input: { name: "worker", wait: true, break: ["work"] } }
  ]
})

/** Opens a core file (DAP `attach` with a core file). */
export const Core = Operation.make("core", {
  summary: "Open a core file",
  description:
    "Opens what a crash left behind and answers with its fatal stop. Everything that reads works; what would run is INVALID_STATE.",
  tier: "admin",
  execution: "start",
  destructive: false,
  privileged: ["adapter_opt", "init_cmd", "stop_cmd", "replace"],
  payload: {
    file: Schema.NonEmptyString.annotate({ description: "Core file" }),
    program: path("Executable that crashed, built with -g"),
    ...Beginning.debuggers,
    ...Beginning.session,
    ...reportWithin("timeouts.launch")
  },
  positional: ["file"],
  data: Schema.Struct({
    ...Started.fields,
    core: Schema.String,
    fatal_signal: Schema.optionalKey(Schema.String),
    fault_address: Schema.optionalKey(Schema.String)
  }),
  errors: Beginning.errors,
  examples: [{ title: "See where it crashed", input: { file: "core.4711", program: "./app" } }]
})

/** Connects to a debug server that speaks gdb-remote. */
export const Connect = Operation.make("connect", {
  summary: "Connect to a debug server",
  description:
    "Connects to a gdbserver, lldb-server or debugserver at HOST:PORT and answers with the stop its program stands at.",
  tier: "admin",
  execution: "start",
  destructive: false,
  privileged: ["adapter_opt", "init_cmd", "stop_cmd", "replace"],
  payload: {
    address: Schema.NonEmptyString.annotate({ description: "HOST:PORT of the server" }),
    program: path("Executable on this machine, for its symbols"),
    wait: Operation.optional(
      Field.Duration.annotate({ description: "Try again until the server listens, at most so long, e.g. 10s" })
    ),
    path_map: Operation.optional(
      Schema.Array(Schema.String).annotate({ description: "Where the server's paths are here: REMOTE=LOCAL" })
    ),
    ...Beginning.breakpoints,
    ...Beginning.debuggers,
    ...Beginning.session,
    ...reportWithin("timeouts.launch")
  },
  positional: ["address"],
  data: Started,
  errors: Beginning.errors,
  examples: [{ title: "A gdbserver on this machine", input: { address: "localhost:2345", program: "./app" } }]
})

/** Ends a session and leaves its program alive (DAP `disconnect` without terminating). */
export const Detach = Operation.make("detach", {
  summary: "Let the program go and end the session",
  description:
    "Removes the breakpoints, lets the program run on by itself, and checks that it is alive, running and held by no debugger.",
  tier: "admin",
  frequency: "common",
  destructive: false,
  ownSession: ["session"],
  payload: {
    suspended: Operation.optional(
      Schema.Boolean.annotate({ description: "Stop it by SIGSTOP once it is let go; kill -CONT lets it run" })
    ),
    session: Field.session
  },
  data: Schema.Struct({
    pid: Schema.optionalKey(Schema.Int),
    alive: Schema.optionalKey(Schema.Boolean),
    suspended: Schema.optionalKey(Schema.Boolean),
    traced: Schema.optionalKey(Schema.Boolean)
  }),
  errors: [...Errors.selection, Errors.InvalidState],
  examples: [{ title: "Leave it running", input: {} }]
})

/** Starts the program of a session again. */
export const Restart = Operation.make("restart", {
  summary: "Start the same program again",
  description:
    "Ends the program and starts it again with the same arguments, environment and breakpoints, which keep their numbers; stop numbers go on. New arguments after -- replace the old ones.",
  tier: "admin",
  execution: "restart",
  frequency: "common",
  ownSession: ["session", "timeout", "wait", "context", "lines"],
  payload: {
    args: Operation.optional(Schema.Array(Schema.String).annotate({ description: "New arguments of the program" })),
    stop_on_entry: Operation.optional(
      Schema.Boolean.annotate({ description: "Stop at the first instruction; as at the start when left out" })
    ),
    build: Beginning.build,
    session: Field.session,
    environment: Beginning.session.environment,
    ...Field.reportWithin("timeouts.launch")
  },
  rest: "args",
  data: Started,
  errors: [...Errors.selection, ...Beginning.errors, Errors.InvalidState],
  examples: [
    { title: "Once more from the start", input: {} },
    { title: "With other arguments", input: { args: ["--seed", "2"] } }
  ]
})
