/**
 * The debug adapters installed on this machine.
 */
import { type Adapter as AdapterModel, Backends, Registry, Trials } from "@sigtrap/backends"
import * as NodeServices from "./runtime/NodeServices.ts"
import type { Settings } from "@sigtrap/protocol"
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

/** The trials of adapters. */
export { Trials }

/** How each supported adapter is installed. */
export const installations: ReadonlyArray<AdapterModel.Installation & { readonly name: string }> =
  Registry.builtIn.flatMap(({ installation, name }) => (installation === undefined ? [] : [{ name, ...installation }]))

/** Returns the names of all adapters of a caller with these settings. */
export const names = (settings: Settings.Values): ReadonlyArray<string> =>
  Registry.configured(Registry.builtIn, settings).map(({ name }) => name)
