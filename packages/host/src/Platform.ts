/**
 * Where the parts become one: the manager, the debuggers, and this machine.
 */
import { Backends, Simulators } from "@sigtrap/backends"
import { Ledger, Local, type Manager, Processes as Table } from "@sigtrap/manager"
import type { Client } from "@sigtrap/protocol"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as AdapterSockets from "./process/AdapterSockets.ts"
import * as HostLedger from "./daemon/Ledger.ts"
import * as Processes from "./process/Processes.ts"
import * as ProgramStreams from "./process/ProgramStreams.ts"
import type { RuntimeDirectory } from "./runtime/RuntimeDirectory.ts"

const local = Local.layer.pipe(
  Layer.provide(Backends.layer),
  Layer.provide(Simulators.layer(process.platform)),
  Layer.provide(AdapterSockets.layer)
)

/** `Client` and `Manager` with sessions that end with this process. */
export const isolated: Layer.Layer<Client.Client | Manager.Manager> = local.pipe(
  Layer.provide(ProgramStreams.layer),
  Layer.provide(Ledger.Ledger.layerNone),
  Layer.provide(Processes.layer),
  Layer.provide(NodeServices.layer)
)

/** `Client` and `Manager` of the daemon, whose sessions are on record in the runtime directory. */
export const recorded: Layer.Layer<Client.Client | Manager.Manager, never, RuntimeDirectory> = local.pipe(
  Layer.provide(ProgramStreams.layerRuntime),
  Layer.provide(HostLedger.layer),
  Layer.provide(Processes.layer),
  Layer.provide(NodeServices.layer)
)

/** Waits for a process to end, at most that many milliseconds; whether it did. */
export const awaitExit = Effect.fnUntraced(
  function* (pid: number, withinMillis: number) {
    const processes = yield* Table.Processes
    const found = yield* processes.identify(pid)
    return found._tag === "None" || (yield* processes.awaitExit(found.value, withinMillis))
  },
  Effect.provide(Processes.layer.pipe(Layer.provide(NodeServices.layer)))
)

/**
 * The process that runs the program of this name: the given one, or the one among its descendants that does. The given
 * one, where none of them does.
 */
export const running = Effect.fnUntraced(
  function* (pid: number, name: string) {
    const processes = yield* Table.Processes
    const found = [pid, ...(yield* processes.descendants(pid)).map((each) => each.pid)]
    const described = yield* Effect.forEach(found, processes.describe)
    return described.flatMap(Option.toArray).find((each) => each.name === name)?.pid ?? pid
  },
  Effect.provide(Processes.layer.pipe(Layer.provide(NodeServices.layer)))
)
