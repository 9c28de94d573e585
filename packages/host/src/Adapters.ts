/**
 * The debug adapters of this machine.
 */
import { Backends, Registry } from "@sigtrap/backends"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"

/** An adapter on this machine; without a path there is none of its kind. */
export type Adapter = Registry.Discovered

/** Every adapter of every kind that an environment leads to; one entry at least for each kind. */
export const discover = (environment: Readonly<Record<string, string>>): Effect.Effect<ReadonlyArray<Adapter>> =>
  Effect.provide(Backends.discover(environment), NodeServices.layer)

/** The names of all kinds of adapters. */
export const names: ReadonlyArray<string> = Registry.builtIn.map(({ name }) => name)
