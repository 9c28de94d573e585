/**
 * Adapters of other debuggers, from few facts: a command that speaks DAP, and its launch arguments.
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
import type { Trials } from "./Trials.ts"

/** The facts about an adapter. */
export interface Options {
  /** The name in `--adapter NAME` and in answers. */
  readonly name: string
  /** A name on PATH or an absolute path. */
  readonly command: string
  /** `${port}` in an argument becomes the port at which it has to listen. */
  readonly args?: ReadonlyArray<string>
  readonly languages: ReadonlyArray<string>
  /** Suffixes of source files that it runs, such as `.rb`. */
  readonly extensions?: ReadonlyArray<string>
  /** Returns the arguments of `launch` (DAP). */
  readonly launch: (request: Backend.LaunchRequest) => Arguments
  /** Returns the request that attaches, or `undefined` if this kind of target is not supported; by default none is. */
  readonly attach?: (request: Backend.LaunchRequest, target: Backend.AttachTarget) => AttachRequest | undefined
  /** How DAP messages are exchanged; by default over its standard streams. */
  readonly transport?: Adapter["transport"]
  /** How the program gets its standard streams; by default its output arrives in events. */
  readonly streams?: "events" | "terminal"
  /** Deviations from DAP. */
  readonly quirks?: Quirks
  /** The types of launch configurations (launch.json) that it debugs, and their keys that it is given. By default its name. */
  readonly editorType?: Pick<Backend.EditorType, "types" | "options">
  /** The environment variable that names another file; by default `SIGTRAP_NAME`. */
  readonly variable?: string | false
  /** How it is installed, for the error when it is not found. */
  readonly installation?: string
  /** How `doctor` tries it. */
  readonly trials?: Trials
}

/** Returns an adapter that a command starts. It gets the environment of the program. */
export const make = (options: Options): Adapter => {
  const { args = [], attach, command, extensions = [], languages, launch, name, streams = "events", trials } = options
  const { editorType = { types: [name], options: [] }, variable = Settings.adapterVariable(name) } = options
  const file = command.slice(command.lastIndexOf("/") + 1)
  const elsewhere = variable === false ? `set adapters.${name}.path to it` : `set ${variable} to its path`
  const kind: Discovery.Kind = {
    name,
    aliases: [],
    ...(variable === false ? {} : { variable }),
    names: command.includes("/") ? [] : [command],
    places: () => (command.includes("/") ? [command] : []),
    remedy: Hint.remedy(options.installation ?? `install ${file}, or ${elsewhere}`),
    examine: (path) => Effect.succeed({ path })
  }
  const quirks: Quirks = { outputInEvents: streams === "events", ...options.quirks }
  return {
    name,
    aliases: [],
    id: name,
    // Several adapters can have the same runtime as command, so only the name selects one.
    file: /^$/,
    languages,
    extensions,
    runsAnyFile: true,
    editorTypes: [{ ...editorType, adapter: name }],
    transport: options.transport ?? "stdio",
    streams,
    supports: [],
    ...(trials === undefined ? {} : { trials }),
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
