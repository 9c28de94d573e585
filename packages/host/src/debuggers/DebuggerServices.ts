/**
 * What the debuggers of this machine provide to the manager and to the daemon, and what they need. This module loads none of them.
 */
import type { PrestartedAdapters } from "@sigtrap/backends"
import type { Backend, FileReader, Ledger, Processes, Simulators as Interface } from "@sigtrap/manager"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type { RuntimeDirectory } from "../runtime/RuntimeDirectory.ts"

/** The services that the debuggers of this machine provide. */
export interface Services {
  readonly backend: Backend.Backend["Service"]
  readonly simulators: Interface.SimulatorAccess["Service"]
  /** The adapter that waits for a start, if there is one. */
  readonly prestarted: Effect.Effect<PrestartedAdapters.Waiting | undefined>
}

/** The adapter that waits for a start. Asking does not load the debuggers. */
export const Prestarted = Context.Reference<Services["prestarted"]>("@sigtrap/host/Prestarted", {
  defaultValue: () => Effect.undefined
})

/** What the services need of the machine. */
export type Needs =
  | Processes.Processes
  | ChildProcessSpawner.ChildProcessSpawner
  | FileReader.FileReader
  | FileSystem.FileSystem
  | Path.Path

/** What the services of the daemon need. */
export type DaemonNeeds = Needs | Ledger.Ledger | RuntimeDirectory
