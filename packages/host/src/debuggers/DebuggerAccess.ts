/**
 * The debuggers and simulators of this machine for the manager. Their code is loaded when a call first needs it: a daemon has to load
 * its code before it answers the command that starts it, and most of its commands use no debugger.
 */
import { Backend, Simulators as Interface } from "@sigtrap/manager"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as LoadedCode from "../runtime/LoadedCode.ts"
import { type DaemonNeeds, type Needs, Prestarted, type Services } from "./DebuggerServices.ts"

/**
 * Makes the services that load the others at the first call, with the services of `context` only: nothing of that call, such as its
 * caller, is kept. A failure to load is a defect of that call; the next one loads again.
 */
export const make = <R>(context: Context.Context<R>, load: () => Promise<Effect.Effect<Services, never, R>>) => {
  let loaded: Services | undefined
  let loading: Promise<Services> | undefined
  const begin = async (): Promise<Services> => {
    try {
      loaded = await Effect.runPromiseWith(context)(await LoadedCode.load(load))
      return loaded
    } catch (cause) {
      loading = undefined
      throw cause
    }
  }
  const services = Effect.suspend(() =>
    loaded === undefined ? Effect.promise(() => (loading ??= begin())) : Effect.succeed(loaded)
  )
  const absent = Effect.undefined
  const backend = Backend.Backend.of({
    editorTypes: (settings) =>
      Effect.flatMap(services, (all) => all.backend.editorTypes?.(settings) ?? Effect.succeed([])),
    interpreterAdapter: (file) => Effect.flatMap(services, (all) => all.backend.interpreterAdapter?.(file) ?? absent),
    runsSource: (program, choice) =>
      Effect.flatMap(services, (all) => all.backend.runsSource?.(program, choice) ?? Effect.succeed(false)),
    projectDebugger: (launch) => Effect.flatMap(services, (all) => all.backend.projectDebugger?.(launch) ?? absent),
    runs: (launch) => Effect.flatMap(services, (all) => all.backend.runs?.(launch) ?? absent),
    writes: (launch) => Effect.flatMap(services, (all) => all.backend.writes?.(launch) ?? absent),
    launch: (launch, listener) => Effect.flatMap(services, (all) => all.backend.launch(launch, listener))
  })
  return Context.make(Backend.Backend, backend).pipe(
    Context.add(Interface.SimulatorAccess, {
      of: (caller) => Effect.flatMap(services, (all) => all.simulators.of(caller))
    }),
    Context.add(
      Prestarted,
      Effect.suspend(() => loaded?.prestarted ?? absent)
    )
  )
}

/** The debuggers of one process; their pipes are in the system's temporary directory. */
export const isolated: Layer.Layer<Backend.Backend | Interface.SimulatorAccess, never, Needs> = Layer.effectContext(
  Effect.map(Effect.context<Needs | Scope.Scope>(), (context) =>
    make(Context.omit(Tracer.ParentSpan)(context), async () => (await import("./LocalDebuggers.ts")).isolated)
  )
)

/** The debuggers of the daemon; their pipes are in the runtime directory, from which those of earlier daemons are removed. */
export const recorded: Layer.Layer<Backend.Backend | Interface.SimulatorAccess, never, DaemonNeeds> =
  Layer.effectContext(
    Effect.map(Effect.context<DaemonNeeds | Scope.Scope>(), (context) =>
      make(Context.omit(Tracer.ParentSpan)(context), async () => (await import("./LocalDebuggers.ts")).recorded)
    )
  )
