/**
 * The machine for sessions of a fake debugger: it stores no session and has no simulators.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { IntentStore } from "../ports/IntentStore.ts"
import { Ledger } from "../ports/Ledger.ts"
import { Processes } from "../ports/Processes.ts"
import { SimulatorAccess } from "../ports/Simulators.ts"
import type * as FakeBackend from "./FakeBackend.ts"

/** A process table in which every process exists, started `now` and has no children. */
export const processes = Layer.succeed(Processes, {
  identify: (pid) => Effect.succeed(Option.some({ pid, started: "now" })),
  self: 4242,
  describe: () => Effect.succeed(Option.none()),
  named: () => Effect.succeed([]),
  descendants: () => Effect.succeed([]),
  carrying: () => Effect.succeed([]),
  kill: () => Effect.succeed(true),
  awaitExit: () => Effect.succeed(true)
})

/** Returns the layer of a fake and its machine. The caller provides the files. */
export const layer = (fake: FakeBackend.Fake) =>
  Layer.mergeAll(fake.layer, Ledger.layerNone, IntentStore.layerNone, processes, SimulatorAccess.layerNone("testing"))
