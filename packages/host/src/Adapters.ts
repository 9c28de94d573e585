/**
 * The debug adapters installed on this machine.
 */
import { type Adapter as AdapterModel, Backends, Registry, Trials } from "@sigtrap/backends"
import * as NodeServices from "./runtime/NodeServices.ts"
import { type Operations, Settings } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileReader from "./files/FileReader.ts"

/** An adapter of this machine; without a path, none of its kind is installed. */
export type Adapter = Registry.Discovered

/**
 * Finds all adapters with an environment (PATH, SIGTRAP_* variables); at least one entry for each kind. `settings` can describe
 * further ones.
 */
export const discover = (
  environment: Readonly<Record<string, string>>,
  settings?: Settings.Values
): Effect.Effect<ReadonlyArray<Adapter>> =>
  Effect.provide(Backends.discover(environment, settings), [FileReader.layer, NodeServices.layer])

/** Returns an environment with the paths of adapters that a configuration names. */
export const withConfiguredPaths = (
  environment: Readonly<Record<string, string>>,
  settings: Settings.Values
): Readonly<Record<string, string>> => ({
  ...environment,
  ...Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) => {
      const name = /^adapters\.([\w-]+)\.path$/.exec(key)?.[1]
      return name === undefined || typeof value !== "string" ? [] : [[Settings.adapterVariable(name), value]]
    })
  )
})

/** Returns the facts about an adapter that answers have. One with a problem has a remedy. */
export const described = ({
  languages,
  name,
  path,
  problem,
  remedy,
  version
}: Adapter): Operations.InstalledDebugger => ({
  name,
  languages,
  ...(path === undefined ? {} : { path }),
  ...(version === undefined ? {} : { version }),
  ...(problem === undefined ? {} : { problem, remedy: remedy ?? `sigtrap setup ${name}` })
})

/** The trials of adapters. */
export { Trials }

/** How each supported adapter is installed. */
export const installations: ReadonlyArray<AdapterModel.Installation & { readonly name: string }> =
  Registry.builtIn.flatMap(({ installation, name }) => (installation === undefined ? [] : [{ name, ...installation }]))

/** Returns the names of all adapters of a caller with these settings. */
export const names = (settings: Settings.Values): ReadonlyArray<string> =>
  Registry.configured(Registry.builtIn, settings).map(({ name }) => name)
