/**
 * Builds the manager with the debuggers and the services of this machine.
 */
import {
  CodeLoading,
  IntentStore,
  Ledger,
  Local,
  type Manager,
  Processes as Table,
  SessionFeed
} from "@sigtrap/manager"
import type { Client, Feed } from "@sigtrap/protocol"
import * as LoadedCode from "./runtime/LoadedCode.ts"
import * as NodeServices from "./runtime/NodeServices.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as InstalledDebuggers from "./InstalledDebuggers.ts"
import * as OwnerRules from "./config/OwnerRules.ts"
import * as DebuggerAccess from "./debuggers/DebuggerAccess.ts"
import * as FileReader from "./files/FileReader.ts"
import * as HostIntentStore from "./daemon/records/IntentStore.ts"
import * as Version from "./daemon/Version.ts"
import * as HostLedger from "./daemon/records/Ledger.ts"
import * as Processes from "./process/Processes.ts"
import type { RuntimeDirectory } from "./runtime/RuntimeDirectory.ts"

const local = SessionFeed.layer(Version.product).pipe(
  Layer.provideMerge(Local.layer),
  Layer.provide(OwnerRules.layer),
  Layer.provide(InstalledDebuggers.layer),
  Layer.provide(Layer.succeed(CodeLoading.CodeLoading, LoadedCode.load)),
  Layer.provide(FileReader.layer)
)

/** `Client`, `Feed` and `Manager` of one process; its sessions end with it and are not recorded. */
export const isolated: Layer.Layer<Client.Client | Feed.Feed | Manager.Manager> = local.pipe(
  Layer.provide(DebuggerAccess.isolated),
  Layer.provide(Ledger.Ledger.layerNone),
  Layer.provide(IntentStore.IntentStore.layerNone),
  Layer.provide(FileReader.layer),
  Layer.provide(Processes.layer),
  Layer.provide(NodeServices.layer)
)

/** `Client`, `Feed` and `Manager` of the daemon; its sessions are recorded in the runtime directory. */
export const recorded: Layer.Layer<Client.Client | Feed.Feed | Manager.Manager, never, RuntimeDirectory> = local.pipe(
  Layer.provideMerge(DebuggerAccess.recorded),
  Layer.provide(HostLedger.layer),
  Layer.provide(HostIntentStore.layer),
  Layer.provide(FileReader.layer),
  Layer.provide(Processes.layer),
  Layer.provide(NodeServices.layer)
)

/** Waits for a process to end, at most `withinMillis` milliseconds; returns whether it has ended. */
export const awaitExit = Effect.fn("Platform.awaitExit")(
  function* (pid: number, withinMillis: number) {
    const processes = yield* Table.Processes
    const found = yield* processes.identify(pid)
    return found._tag === "None" || (yield* processes.awaitExit(found.value, withinMillis))
  },
  Effect.provide(Processes.layer.pipe(Layer.provide(NodeServices.layer)))
)

/** Returns the pid of the first process among this one and its descendants that runs a program; otherwise this pid. */
export const running = Effect.fn("Platform.running")(
  function* (pid: number, name: string) {
    const processes = yield* Table.Processes
    const found = [pid, ...(yield* processes.descendants(pid)).map((each) => each.pid)]
    const described = yield* Effect.forEach(found, processes.describe)
    return described.flatMap(Option.toArray).find((each) => each.name === name)?.pid ?? pid
  },
  Effect.provide(Processes.layer.pipe(Layer.provide(NodeServices.layer)))
)
