/**
 * Adapters of other debuggers, from few facts: a command that speaks DAP on its standard streams, and its launch arguments.
 *
 * `Registry.layer` adds them to those in use. What differs further is changed in the result, which is an `Adapter`.
 */
import type { Backend } from "@sigtrap/manager"
import { Hint, Settings } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Adapter, Arguments, AttachRequest } from "./Adapter.ts"
import * as Attach from "./Attach.ts"
import * as Discovery from "./Discovery.ts"
import type { Quirks } from "./Quirks.ts"

/** The facts about an adapter. */
export interface Options {
  /** The name in `--adapter NAME` and in answers. */
  readonly name: string
  /** A name on PATH or an absolute path. The variable `SIGTRAP_NAME` names another file. */
  readonly command: string
  readonly args?: ReadonlyArray<string>
  readonly languages: ReadonlyArray<string>
  /** Suffixes of source files that it runs, such as `.rb`. */
  readonly extensions?: ReadonlyArray<string>
  /** Returns the arguments of `launch` (DAP). */
  readonly launch: (request: Backend.LaunchRequest) => Arguments
  /** Returns the request that attaches, or `undefined` if this kind of target is not supported; by default none is. */
  readonly attach?: (request: Backend.LaunchRequest, target: Backend.AttachTarget) => AttachRequest | undefined
  /** Deviations from DAP. The output of programs arrives in events by default. */
  readonly quirks?: Quirks
  /** How it is installed, for the error when it is not found. */
  readonly installation?: string
}

/** Returns an adapter that a command starts. It gets the environment of the program. */
export const make = (options: Options): Adapter => {
  const { args = [], attach, command, extensions = [], languages, launch, name } = options
  const file = command.slice(command.lastIndexOf("/") + 1)
  const kind: Discovery.Kind = {
    name,
    aliases: [],
    variable: Settings.adapterVariable(name),
    names: command.includes("/") ? [] : [command],
    places: () => (command.includes("/") ? [command] : []),
    remedy: Hint.remedy(
      options.installation ?? `install ${file}, or set ${Settings.adapterVariable(name)} to its path`
    ),
    examine: (path) => Effect.succeed({ path })
  }
  const quirks: Quirks = { outputInEvents: true, ...options.quirks }
  return {
    name,
    aliases: [],
    id: name,
    // Several adapters can have the same runtime as command, so only the name selects one.
    file: /^$/,
    languages,
    extensions,
    editorTypes: [{ types: [name], adapter: name, options: [] }],
    transport: "stdio",
    streams: "events",
    supports: [],
    find: (search) => Discovery.find(kind, search),
    all: (search) => Discovery.all(kind, search),
    start: (_, request) => ({ args, env: request.env }),
    quirks: () => quirks,
    attach: (request, target) => {
      const found = attach?.(request, target)
      return found === undefined ? Attach.unsupported(target, name) : Result.succeed(found)
    },
    launchArguments: (request) => Effect.sync(() => launch(request))
  }
}
