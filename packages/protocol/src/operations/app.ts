/**
 * Operations on the apps of a simulated device: install, launch, and debug or attach in one call.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import { Position } from "../Location.ts"
import * as Hint from "../Hint.ts"
import * as Operation from "../Operation.ts"
import { Name } from "../Session.ts"
import * as Simulator from "../Simulator.ts"
import { Started } from "./session.ts"
import { failures } from "./simulator.ts"

const flag = (description: string) => Operation.withDefault(Schema.Boolean.annotate({ description }), false)
const word = (description: string) => Schema.NonEmptyString.annotate({ description })
const { deadline, environment, simulator } = Simulator.fields
const caller = { deadline, environment }
const { bundle } = Simulator

const env = Operation.withDefault(
  Schema.Array(Schema.String).annotate({ description: "Variables for the app, as NAME=VALUE" }),
  []
)
const args = Operation.withDefault(Schema.Array(Schema.String).annotate({ description: "Arguments of the app" }), [])

const Done = Schema.Struct({
  simulator: Simulator.Subject,
  bundle_id: Schema.String,
  already: Schema.Boolean
})

/** `simctl install` */
export const SimInstall = Operation.make("sim.install", {
  summary: "Install an app on a simulator",
  description: "Installs an .app folder built for simulators, in place of an earlier one, which is ended first.",
  tier: "admin",
  destructive: false,
  payload: { simulator, app: Operation.optional(word("The .app folder; alone it may stand first")), ...caller },
  positional: ["simulator", "app"],
  data: Schema.Struct({
    simulator: Simulator.Subject,
    app: Schema.String,
    bundle_id: Schema.optionalKey(Schema.String)
  }),
  errors: failures,
  examples: [{ title: "Install what was built", input: { simulator: "booted", app: "build/Notes.app" } }]
})

/** `simctl uninstall` */
export const SimUninstall = Operation.make("sim.uninstall", {
  summary: "Remove an app from a simulator",
  description: "Removes an app with its data. One that is not installed is a success.",
  tier: "admin",
  payload: { simulator, bundle, ...caller },
  positional: ["simulator", "bundle"],
  data: Done,
  errors: failures,
  examples: [{ title: "Remove it", input: { simulator: "booted", bundle: "com.example.notes" } }]
})

/** `simctl listapps` */
export const SimApps = Operation.make("sim.apps", {
  summary: "List the apps of a simulator",
  description: "Lists the installed apps with bundle id, version and path, and the pid of those that run.",
  tier: "observe",
  payload: { simulator, all: flag("The system's own apps too"), ...caller },
  positional: ["simulator"],
  data: Schema.Struct({ simulator: Simulator.Subject, apps: Schema.Array(Simulator.App) }),
  errors: failures,
  examples: [{ title: "What is installed and runs", input: {} }]
})

/** `simctl get_app_container` */
export const SimContainer = Operation.make("sim.container", {
  summary: "Print the folder of an app",
  description: "Answers with the path on this machine of an app's bundle, its data, or its groups.",
  tier: "observe",
  payload: {
    simulator,
    bundle,
    which: Operation.withDefault(word("Which folder: app, data, groups, or the name of a group"), "app"),
    ...caller
  },
  positional: ["simulator", "bundle", "which"],
  data: Schema.Struct({
    simulator: Simulator.Subject,
    bundle_id: Schema.String,
    path: Schema.String
  }),
  errors: failures,
  examples: [
    {
      title: "Where its files are",
      input: { simulator: "booted", bundle: "com.example.notes", which: "data" }
    }
  ]
})

/** `simctl launch` */
export const SimLaunch = Operation.make("sim.launch", {
  summary: "Launch an app on a simulator",
  description:
    "Launches an installed app without a debugger and answers with its pid. One that runs is left running unless terminate_existing is set. To debug it use sim debug.",
  tier: "admin",
  destructive: false,
  payload: {
    simulator,
    bundle,
    args,
    env,
    wait_for_debugger: flag("Hold it before its first instruction until a debugger continues it"),
    terminate_existing: flag("End the one that runs first"),
    stdout: Operation.optional(word("File that takes its standard output")),
    stderr: Operation.optional(word("File that takes its standard error")),
    ...caller
  },
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
      title: "Launch it anew",
      input: { simulator: "booted", bundle: "com.example.notes", terminate_existing: true }
    }
  ]
})

/** `simctl terminate` */
export const SimTerminate = Operation.make("sim.terminate", {
  summary: "End an app on a simulator",
  description: "Ends an app. One that does not run is a success.",
  tier: "admin",
  payload: { simulator, bundle, ...caller },
  positional: ["simulator", "bundle"],
  data: Done,
  errors: failures,
  examples: [{ title: "End it", input: { simulator: "booted", bundle: "com.example.notes" } }]
})

const beginning = {
  break: Operation.withDefault(
    Schema.Array(Schema.String).annotate({
      description: "Breakpoints to set first: LOCATION [if EXPR]"
    }),
    []
  ),
  pending: flag("Let breakpoints wait for a library that has their place"),
  pause: flag("Stop before the app goes on, and answer with the stop"),
  replace: flag("End a live session of the same name first"),
  backend: Operation.optional(
    Schema.Literals(["dap", "lldb-cli"]).annotate({
      description: "How LLDB is driven; the default when left out"
    })
  ),
  adapter: Operation.optional(word("Debug adapter: a name such as lldb-dap, or a path")),
  session: Field.session,
  timeout: Field.report.timeout,
  context: Field.report.context,
  lines: Field.report.lines
}

const sessionFailures = [
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

const Debugged = Schema.Struct({
  ...Started.fields,
  simulator: Simulator.Subject,
  bundle_id: Schema.String,
  /** Whether the app was launched for this session, which then ends it too. */
  launched: Schema.Boolean
})

/** Boots, installs, launches, attaches, sets breakpoints and goes on to the first stop. */
export const SimDebug = Operation.make("sim.debug", {
  summary: "Debug an app on a simulator",
  description:
    "One call from nothing to a stop: boots the simulator if needed, installs the app when its folder is given, launches it held before its first instruction, attaches, sets the breakpoints, lets it go and answers with the first stop; without breakpoints as soon as it runs. Its output is part of the session. When anything fails the app is ended.",
  tier: "admin",
  execution: "start",
  frequency: "everyday",
  everyday: ["simulator", "app", "args", "break", "session"],
  destructive: false,
  privileged: ["replace"],
  payload: {
    simulator,
    app: Operation.optional(word("Bundle id, or an .app folder to install first; the default when left out")),
    args,
    env,
    stop_at_main: flag("Stop at the function main"),
    ...beginning,
    ...caller
  },
  positional: ["simulator", "app"],
  rest: "args",
  data: Debugged,
  errors: sessionFailures,
  examples: [
    {
      title: "Stop where a note is saved",
      input: { simulator: "iPhone 17", app: "com.example.notes", break: ["Note.swift:42"] }
    },
    {
      title: "Install what was built and debug it",
      input: { simulator: "booted", app: "build/Notes.app", stop_at_main: true }
    }
  ]
})

/** Attaches to a running app by its bundle id. */
export const SimAttach = Operation.make("sim.attach", {
  summary: "Attach to an app on a simulator",
  description:
    "Takes hold of a running app by its exact bundle id; it runs on unless pause is set. With wait it may be launched later by hand, with launch it is launched when it does not run. Ending the session lets an app go that ran before.",
  tier: "admin",
  execution: "start",
  frequency: "everyday",
  everyday: ["simulator", "bundle", "pause", "session"],
  destructive: false,
  privileged: ["replace"],
  payload: {
    simulator,
    bundle,
    wait: flag("Wait until it runs"),
    launch: flag("Launch it when it does not run"),
    attach_timeout: Operation.withDefault(
      Field.Duration.annotate({ description: "Longest wait for it to run" }),
      "30s"
    ),
    ...beginning,
    ...caller
  },
  positional: ["simulator", "bundle"],
  data: Debugged,
  errors: sessionFailures,
  examples: [
    {
      title: "See where it hangs",
      input: { simulator: "booted", bundle: "com.example.notes", pause: true }
    },
    {
      title: "Wait for a person to open it",
      input: { simulator: "booted", bundle: "com.example.notes", wait: true }
    }
  ]
})

/** Whether a debugger holds an app of the device still. */
export const SimGuard = Operation.make("sim.guard", {
  summary: "Say whether a debugger holds an app of a simulator",
  description:
    "Tells whoever is about to tap and swipe whether an app of this simulator stands still in one of our sessions, where, and how to get on. Nothing that is tapped arrives in such an app.",
  tier: "observe",
  payload: { simulator, ...caller },
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
  examples: [{ title: "Before driving the user interface", input: { simulator: "iPhone 17" } }]
})
