/**
 * Checks whether this machine can debug apps in simulators.
 */
import { Simulators } from "@sigtrap/backends"
import { Simulators as Interface } from "@sigtrap/manager"
import * as NodeServices from "./runtime/NodeServices.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FileReader from "./files/FileReader.ts"

/** Runs all checks with an environment; fails on a system without simulators. */
export const check = Effect.fn("SimulatorCheck.check")(
  function* (environment: Readonly<Record<string, string>>) {
    const access = yield* Interface.SimulatorAccess
    const simulators = yield* access.of({ environment })
    return yield* simulators.check
  },
  Effect.provide(Simulators.layer(process.platform).pipe(Layer.provide([FileReader.layer, NodeServices.layer])))
)
