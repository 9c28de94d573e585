/**
 * `sim …` operations on apps: install, launch, debug and attach to them.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import { Position } from "../model/Location.ts"
import * as Hint from "../answers/Hint.ts"
import * as Operation from "../Operation.ts"
import { Name } from "../model/Session.ts"
import * as Simulator from "../model/Simulator.ts"
import { failures } from "./Simulators.ts"
import { Started } from "./Start.ts"
import * as StartFields from "./StartFields.ts"

const { simulator } = Simulator.fields
const { caller } = Simulator
const { bundle } = Simulator

const env = Field.wordList("NAME=VALUE", "Environment variables of the app")
const args = Field.wordList("ARG", "Arguments of the app")

/** The app of an operation; `already` is true if there was nothing to do. */
class Done extends Model.of<Done>()(
  Schema.Struct({
    simulator: Simulator.Subject,
    bundle_id: Schema.String,
    already: Schema.Boolean
  })
) {}

/** Installs an app (`simctl install`). */
export class SimInstall extends Operation.make("sim.install", () => ({
  summary: "Install an app on a simulator",
  description: "Installs an .app directory built for simulators. Ends and replaces an installed version.",
  effect: "launch",
  effects: { simulator: "observe", app: "launch" },
  destructive: false,
  payload: Model.before(
    { simulator, app: Field.optionalText("APP", "The .app directory; may be the only argument") },
    caller
  ),
  positional: ["simulator", "app"],
  data: Schema.Struct({
    simulator: Simulator.Subject,
    app: Schema.String,
    bundle_id: Schema.optionalKey(Schema.String)
  }),
  errors: failures,
  examples: [{ title: "Install a built app", input: { simulator: "booted", app: "build/Notes.app" } }]
})) {}

/** Uninstalls an app (`simctl uninstall`). */
export class SimUninstall extends Operation.make("sim.uninstall", () => ({
  summary: "Remove an app from a simulator",
  description: "Removes an app and its data. Succeeds if it is not installed.",
  effect: "launch",
  effects: { simulator: "observe", bundle: "launch" },
  payload: Model.before({ simulator, bundle }, caller),
  positional: ["simulator", "bundle"],
  data: Done,
  errors: failures,
  examples: [{ title: "Remove an app", input: { simulator: "booted", bundle: "com.example.notes" } }]
})) {}

/** Lists apps (`simctl listapps`). */
export class SimApps extends Operation.make("sim.apps", () => ({
  summary: "List the apps of a simulator",
  description: "Lists the installed apps with bundle id, version and path, and the pid of those that run.",
  effect: "observe",
  effects: { simulator: "observe", all: "observe" },
  payload: Model.before({ simulator, all: Field.flag("List system apps too") }, caller),
  positional: ["simulator"],
  data: Schema.Struct({ simulator: Simulator.Subject, apps: Schema.Array(Simulator.App) }),
  errors: failures,
  examples: [{ title: "List installed apps", input: {} }]
})) {}

/** Finds the directory of an app (`simctl get_app_container`). */
export class SimContainer extends Operation.make("sim.container", () => ({
  summary: "Print the directory of an app",
  description: "Returns the path on this machine of the bundle, the data or the groups of an app.",
  effect: "observe",
  effects: { simulator: "observe", bundle: "observe", which: "observe" },
  payload: Model.before(
    {
      simulator,
      bundle,
      which: Operation.withDefault(Field.text("WHICH", "Directory: app, data, groups or the name of a group"), "app")
    },
    caller
  ),
  positional: ["simulator", "bundle", "which"],
  data: Schema.Struct({
    simulator: Simulator.Subject,
    bundle_id: Schema.String,
    path: Schema.String
  }),
  errors: failures,
  examples: [
    {
      title: "Find the files of an app",
      input: { simulator: "booted", bundle: "com.example.notes", which: "data" }
    }
  ]
})) {}

/** Launches an app (`simctl launch`). */
export class SimLaunch extends Operation.make("sim.launch", () => ({
  summary: "Launch an app on a simulator",
  description:
    "Launches an installed app without a debugger and returns its pid. An app that already runs keeps running, unless terminate_existing is set. To debug it use sim debug.",
  effect: "launch",
  effects: {
    simulator: "observe",
    bundle: "launch",
    args: "observe",
    env: "observe",
    wait_for_debugger: "observe",
    terminate_existing: "observe",
    stdout: "write-file",
    stderr: "write-file"
  },
  destructive: false,
  payload: Model.before(
    {
      simulator,
      bundle,
      args,
      env,
      wait_for_debugger: Field.flag("Suspend it at the start until a debugger resumes it"),
      terminate_existing: Field.flag("End a running instance first"),
      stdout: Field.optionalText("FILE", "File for the app's standard output"),
      stderr: Field.optionalText("FILE", "File for the app's standard error")
    },
    caller
  ),
  positional: ["simulator", "bundle"],
  rest: "args",
  data: Schema.Struct({
    simulator: Simulator.Subject,
    bundle_id: Schema.String,
    pid: Schema.Int,
    already: Schema.Boolean
  }),
  errors: failures,
  examples: [
    {
      title: "Launch a new instance",
      input: { simulator: "booted", bundle: "com.example.notes", terminate_existing: true }
    }
  ]
})) {}

/** Ends an app (`simctl terminate`). */
export class SimTerminate extends Operation.make("sim.terminate", () => ({
  summary: "End an app on a simulator",
  description: "Ends an app. Succeeds if it does not run.",
  effect: "launch",
  effects: { simulator: "observe", bundle: "launch" },
  payload: Model.before({ simulator, bundle }, caller),
  positional: ["simulator", "bundle"],
  data: Done,
  errors: failures,
  examples: [{ title: "End an app", input: { simulator: "booted", bundle: "com.example.notes" } }]
})) {}

const { wait: _, ...report } = Field.report

/** The fields of both operations that start a session. */
const start = {
  break: StartFields.breakpoints.break,
  pending: Field.flag("Allow breakpoints in libraries that are not loaded yet"),
  pause: Field.flag("Stop before the app continues and answer with the stop"),
  replace: Field.flag("End a live session of the same name first"),
  backend: Operation.optional(
    Schema.Literals(["dap", "lldb-cli"]).annotate({
      description: "How LLDB is driven: dap or its console (the default)"
    })
  ),
  adapter: Field.optionalText("ADAPTER", "Debug adapter: a name such as lldb-dap, or a path"),
  session: Field.session,
  ...report
}

const startEffects = {
  break: "location",
  pending: "observe",
  pause: "observe",
  replace: "launch",
  backend: "observe",
  adapter: "launch"
} as const

const startFailures = [
  ...failures,
  Errors.AdapterNotFound,
  Errors.VersionTooOld,
  Errors.AdapterStartFailed,
  Errors.AttachFailed,
  Errors.SessionExists,
  Errors.SourceNotFound,
  Errors.InvalidLocation,
  Errors.BreakpointUnresolved,
  Errors.WaitTimeout
] as const

type StartFailures = typeof startFailures
/** The errors of both operations that start a session. */
interface StartErrors extends StartFailures {}
const startErrors: StartErrors = startFailures

class Debugged extends Model.of<Debugged>()(
  Schema.Struct(
    Model.extended(Started, {
      simulator: Simulator.Subject,
      bundle_id: Schema.String,
      /** True if the session launched the app. Ending the session ends the app then. */
      launched: Schema.Boolean
    })
  )
) {}

/** Boots the simulator, installs and launches the app, attaches, sets breakpoints and resumes to the first stop. */
export class SimDebug extends Operation.make("sim.debug", () => ({
  summary: "Debug an app on a simulator",
  description:
    "Boots the simulator if needed, installs the app if its directory is given, launches it suspended, attaches, sets the breakpoints and resumes it. Returns the first stop, or without breakpoints as soon as the app runs. The session captures the app's output. If one of these steps fails, ends the app.",
  effect: "launch",
  effects: {
    simulator: "observe",
    app: "launch",
    args: "observe",
    env: "observe",
    stop_at_main: "observe",
    ...startEffects
  },
  execution: "start",
  frequency: "everyday",
  everyday: ["simulator", "app", "args", "break", "session"],
  destructive: false,
  payload: Model.before(
    {
      simulator,
      app: Field.optionalText("APP", "Bundle id or .app directory (project default)"),
      args,
      env,
      stop_at_main: Field.flag("Stop at the function main"),
      ...start
    },
    caller
  ),
  positional: ["simulator", "app"],
  rest: "args",
  data: Debugged,
  errors: startErrors,
  examples: [
    {
      title: "Stop at a line of the app",
      input: { simulator: "iPhone 17", app: "com.example.notes", break: ["Note.swift:42"] }
    },
    {
      title: "Install a built app and debug it",
      input: { simulator: "booted", app: "build/Notes.app", stop_at_main: true }
    }
  ]
})) {}

/** Attaches to a running app by its bundle id. */
export class SimAttach extends Operation.make("sim.attach", () => ({
  summary: "Attach to an app on a simulator",
  description:
    "Attaches to a running app by its exact bundle id. The app keeps running unless pause is set. With wait, waits until the app is launched; with launch, launches it if it does not run. Ending the session detaches from an app that ran before.",
  effect: "launch",
  effects: { simulator: "observe", bundle: "launch", launch: "observe", attach_timeout: "observe", ...startEffects },
  execution: "start",
  frequency: "common",
  destructive: false,
  payload: Model.before(
    {
      simulator,
      bundle,
      wait: Field.flag("Wait until it runs"),
      launch: Field.flag("Launch it if it does not run"),
      attach_timeout: Operation.withDefault(
        Field.Duration.annotate({ description: "Longest wait until it runs" }),
        "30s"
      ),
      ...start
    },
    caller
  ),
  positional: ["simulator", "bundle"],
  data: Debugged,
  errors: startErrors,
  examples: [
    {
      title: "Show where it hangs",
      input: { simulator: "booted", bundle: "com.example.notes", pause: true }
    },
    {
      title: "Wait until someone opens it",
      input: { simulator: "booted", bundle: "com.example.notes", wait: true }
    }
  ]
})) {}

/** Reports the apps of a simulator that a session has paused. */
export class SimGuard extends Operation.make("sim.guard", () => ({
  summary: "Report whether a session has paused an app of a simulator",
  description:
    "Reports whether a session has paused an app on this simulator, where, and how to resume it. A paused app ignores input.",
  effect: "observe",
  effects: { simulator: "observe" },
  payload: Model.before({ simulator }, caller),
  positional: ["simulator"],
  data: Schema.Struct({
    simulator: Simulator.Subject,
    paused: Schema.Boolean,
    sessions: Schema.Array(
      Schema.Struct({
        session: Name,
        bundle_id: Schema.optionalKey(Schema.String),
        pid: Schema.optionalKey(Schema.Int),
        state: Schema.String,
        reason: Schema.optionalKey(Schema.String),
        location: Schema.optionalKey(Position),
        hints: Hint.Hints
      })
    )
  }),
  errors: failures,
  examples: [{ title: "Check before driving the user interface", input: { simulator: "iPhone 17" } }]
})) {}
