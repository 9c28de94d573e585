/**
 * What the LLDB command line is told to begin with: a program to launch, a process, a core file, a debug server.
 *
 * A command is one line, so nothing with a line break or another control character can be in an argument or a path. A
 * variable that has one is left to inheritance: LLDB itself is given it, and what else it has is taken away again.
 */
import { Command } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Result from "effect/Result"
import * as LldbSettings from "../console/lldb/Settings.ts"
import * as Attach from "../adapters/Attach.ts"
import type { Streams } from "../process/Streams.ts"

/** The commands that lead to a target; `begin` makes the process, and `finish` comes before it runs. */
export interface Beginning {
  readonly prepare: ReadonlyArray<string>
  readonly begin: string
  readonly finish: ReadonlyArray<string>
  /** The environment of LLDB itself. */
  readonly env: Readonly<Record<string, string>>
}

/** Ours; the caller's own come between the settings and the target, and so prevail. */
interface Target extends Omit<Beginning, "finish"> {
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

/** How a program is launched: it stops before its first instruction, so that all of it can be prepared. */
const launching = (
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
    let begin = yield* Command.command("process launch --stop-at-entry --working-dir", [launch.cwd], major)
    for (const [name, value] of passed) begin += yield* Command.command(" --environment", [`${name}=${value}`], major)
    if (launch.args.length > 0) begin += yield* Command.command(" --", launch.args, major)
    return {
      settings,
      prepare: [yield* Command.command("target create", [launch.program], major), ...inheriting],
      begin,
      env
    }
  })

const existing = (
  launch: Backend.LaunchRequest,
  target: Backend.Existing,
  own: Readonly<Record<string, string>>,
  major: number
): Result.Result<Target, Command.Refused> =>
  Result.gen(function* () {
    const settings = yield* LldbSettings.attaching
    const program = launch.program === "" ? [] : [launch.program]
    switch (target.kind) {
      case "process":
        return { settings, prepare: [], begin: `process attach --pid ${target.pid}`, env: own }
      case "core": {
        const begin = yield* Command.command("target create --core", [target.file, ...program], major)
        return { settings, prepare: [], begin, env: own }
      }
      case "remote": {
        if (!Attach.host.test(target.host)) return yield* Result.fail({ _tag: "Refused" as const, text: target.host })
        const symbols = program.length === 0 ? [] : [yield* Command.command("target create", program, major)]
        return { settings, prepare: symbols, begin: `gdb-remote ${target.host}:${target.port}`, env: own }
      }
    }
  })

/** What the caller wishes beside a target, where LLDB takes it. */
const wishes = (launch: Backend.LaunchRequest, major: number): Result.Result<ReadonlyArray<string>, Command.Refused> =>
  Result.gen(function* () {
    const maps = (launch.sourceMap ?? []).flat()
    return [
      ...(launch.aslr === undefined ? [] : [yield* Command.set("target.disable-aslr", `${!launch.aslr}`)]),
      ...(maps.length === 0 ? [] : [yield* Command.command("settings set target.source-map", maps, major)]),
      ...(launch.commands?.init ?? [])
    ]
  })

/** The commands for a request, for an LLDB with an environment of its own. Fails when something in it cannot be written on a command line. */
export const beginning = (
  launch: Backend.LaunchRequest,
  own: Readonly<Record<string, string>>,
  streams: Streams,
  major: number
): Result.Result<Beginning, Errors.LaunchFailed | Errors.AttachFailed> =>
  Result.gen(function* () {
    const wished = yield* wishes(launch, major)
    const { settings, ...target } = yield* launch.existing === undefined
      ? launching(launch, streams, own, major)
      : existing(launch, launch.existing, own, major)
    return { ...target, prepare: [...settings, ...wished, ...target.prepare], finish: launch.commands?.preRun ?? [] }
  }).pipe(Result.mapError((error) => refused(launch, error)))
