/**
 * Returns the commands that create LLDB's target and process: launch a program, take over a held one, attach to a process, open a
 * core file, or connect to a debug server.
 *
 * A command is one line, so arguments and paths cannot contain control characters such as line breaks. An environment
 * variable with control characters is set for LLDB itself, and the program inherits it. LLDB's other variables are unset for
 * the program.
 */
import { Command } from "@sigtrap/lldb"
import type { Backend, ProgramRuns } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Result from "effect/Result"
import * as LldbSettings from "../console/lldb/Settings.ts"
import * as Attach from "../adapters/Attach.ts"
import type { Streams } from "../process/Streams.ts"

/** The commands in their order. `create` creates the process. `finish` runs before the process is resumed. */
export interface Commands {
  readonly prepare: ReadonlyArray<string>
  readonly create: string
  readonly finish: ReadonlyArray<string>
  /** The environment of LLDB itself. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * The commands without the caller's. The caller's run after the settings and before the target, so they override settings.
 */
interface Target extends Omit<Commands, "finish"> {
  readonly settings: ReadonlyArray<string>
}

const unfit = /[\u0000-\u0008\u000a-\u001f\u007f]/

const refused = (launch: Backend.LaunchRequest, { text }: Command.Refused) => {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
  return launch.existing === undefined
    ? new Errors.LaunchFailed({
        program: launch.program,
        detail: `a line break or another control character cannot be passed on LLDB's command line: ${shown}; --backend dap can`
      })
    : new Errors.AttachFailed({
        target: Attach.describe(launch.existing),
        detail: `control characters in ${shown}`
      })
}

/** The commands that launch a program, which stops before its first instruction. */
const launchTarget = (
  launch: Backend.LaunchRequest,
  streams: Streams,
  own: Readonly<Record<string, string>>,
  major: number
): Result.Result<Target, Command.Refused> =>
  Result.gen(function* () {
    const variables = Object.entries(launch.env)
    const inherited = variables.filter(([name, value]) => unfit.test(name) || unfit.test(value))
    const passed = variables.filter((variable) => !inherited.includes(variable))
    const settings = yield* LldbSettings.launching({ ...streams, input: launch.stdin ?? streams.input })
    const env = { ...own, ...Object.fromEntries(inherited) }
    const unwanted = Object.keys(own).filter((name) => !Object.hasOwn(launch.env, name))
    const inheriting =
      inherited.length === 0
        ? []
        : [
            yield* Command.set("target.inherit-env", "true"),
            ...(unwanted.length === 0
              ? []
              : [yield* Command.command("settings set target.unset-env-vars", unwanted, major)])
          ]
    let create = yield* Command.command("process launch --stop-at-entry --working-dir", [launch.cwd], major)
    for (const [name, value] of passed) create += yield* Command.command(" --environment", [`${name}=${value}`], major)
    if (launch.args.length > 0) create += yield* Command.command(" --", launch.args, major)
    return {
      settings,
      prepare: [yield* Command.command("target create", [launch.program], major), ...inheriting],
      create,
      env
    }
  })

/** The commands that attach to a process, a core file or a debug server. */
const existingTarget = (
  launch: Backend.LaunchRequest,
  target: Backend.AttachTarget,
  own: Readonly<Record<string, string>>,
  major: number
): Result.Result<Target, Command.Refused> =>
  Result.gen(function* () {
    const settings = yield* LldbSettings.attaching
    const program = launch.program === "" ? [] : [launch.program]
    switch (target.kind) {
      case "process":
        return { settings, prepare: [], create: `process attach --pid ${target.pid}`, env: own }
      case "core": {
        const create = yield* Command.command("target create --core", [target.file, ...program], major)
        return { settings, prepare: [], create, env: own }
      }
      case "remote": {
        if (!Attach.host.test(target.host)) return yield* Result.fail({ _tag: "Refused" as const, text: target.host })
        const symbols = program.length === 0 ? [] : [yield* Command.command("target create", program, major)]
        return { settings, prepare: symbols, create: `gdb-remote ${target.host}:${target.port}`, env: own }
      }
    }
  })

/** The commands that take over a held program through the socket of its debug server. */
const heldTarget = (
  launch: Backend.LaunchRequest,
  { socket }: ProgramRuns.Held,
  own: Readonly<Record<string, string>>,
  major: number
): Result.Result<Target, Command.Refused> =>
  Result.gen(function* () {
    return {
      settings: yield* LldbSettings.attaching,
      prepare: [yield* Command.command("target create", [launch.program], major)],
      create: yield* Command.command("process connect --plugin gdb-remote", [`unix-connect://${socket}`], major),
      env: own
    }
  })

/** The commands of the caller's start options. */
const optionCommands = (
  launch: Backend.LaunchRequest,
  major: number
): Result.Result<ReadonlyArray<string>, Command.Refused> =>
  Result.gen(function* () {
    const maps = (launch.sourceMap ?? []).flat()
    return [
      ...(launch.aslr === undefined ? [] : [yield* Command.set("target.disable-aslr", `${!launch.aslr}`)]),
      ...(launch.followFork === undefined ? [] : [LldbSettings.followFork(launch.followFork)]),
      ...(maps.length === 0 ? [] : [yield* Command.command("settings set target.source-map", maps, major)]),
      ...(launch.commands?.init ?? [])
    ]
  })

/**
 * The commands for a request and an LLDB with the environment `own`. Fails if something in the request cannot be written on
 * a command line.
 */
export const commands = (
  launch: Backend.LaunchRequest,
  own: Readonly<Record<string, string>>,
  streams: Streams,
  major: number
): Result.Result<Commands, Errors.LaunchFailed | Errors.AttachFailed> =>
  Result.gen(function* () {
    const options = yield* optionCommands(launch, major)
    const { existing, held } = launch
    const { settings, ...target } = yield* held !== undefined
      ? heldTarget(launch, held, own, major)
      : existing === undefined
        ? launchTarget(launch, streams, own, major)
        : existingTarget(launch, existing, own, major)
    return { ...target, prepare: [...settings, ...options, ...target.prepare], finish: launch.commands?.preRun ?? [] }
  }).pipe(Result.mapError((error) => refused(launch, error)))
