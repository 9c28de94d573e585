/** The services that every backend requires. */
import type { FileReader, Processes } from "@sigtrap/manager"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type { AdapterSockets } from "./AdapterSockets.ts"
import type { ProgramStreams } from "./Streams.ts"

/** The machine as a backend sees it: processes, sockets and pipes of programs, files. */
export type BackendServices =
  | AdapterSockets
  | ProgramStreams
  | Processes.Processes
  | ChildProcessSpawner.ChildProcessSpawner
  | FileReader.FileReader
  | FileSystem.FileSystem
  | Path.Path
