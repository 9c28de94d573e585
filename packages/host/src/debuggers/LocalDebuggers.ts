/**
 * The debuggers and simulators of this machine, with the pipes and sockets that they need. `DebuggerAccess` imports this module when a
 * call first needs it, so nothing else may import it.
 */
import { Backends, PrestartedAdapters, Simulators } from "@sigtrap/backends"
import { Backend, Simulators as Interface } from "@sigtrap/manager"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { DaemonNeeds, Needs, Services } from "./DebuggerServices.ts"
import * as AdapterSockets from "../process/AdapterSockets.ts"
import * as ProgramStreams from "../process/ProgramStreams.ts"

const debuggers = Layer.merge(Backends.layer, Simulators.layer(process.platform)).pipe(
  Layer.provide(AdapterSockets.layer)
)

const servicesOf = (context: Context.Context<Backend.Backend | Interface.SimulatorAccess>): Services => ({
  backend: Context.get(context, Backend.Backend),
  simulators: Context.get(context, Interface.SimulatorAccess),
  prestarted: Context.get(context, PrestartedAdapters.PrestartedAdapters).waiting
})

/** The services of one process; their pipes are in the system's temporary directory. */
export const isolated: Effect.Effect<Services, never, Needs | Scope.Scope> = Effect.map(
  Layer.build(debuggers.pipe(Layer.provide(ProgramStreams.layer))),
  servicesOf
)

/** The services of the daemon, which starts adapters early; their pipes are in the runtime directory. */
export const recorded: Effect.Effect<Services, never, DaemonNeeds | Scope.Scope> = Effect.map(
  Layer.build(debuggers.pipe(Layer.provideMerge(PrestartedAdapters.layer), Layer.provide(ProgramStreams.layerRuntime))),
  servicesOf
)
