/**
 * What one run needs before its program is launched: a private directory, the program's streams and a debug server. It is made
 * while the run before it has not ended.
 */
import { DebugServer, type Errors } from "@sigtrap/rsp"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import * as RcRef from "effect/RcRef"
import type * as Scope from "effect/Scope"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as AdapterSockets from "../process/AdapterSockets.ts"
import * as ProgramStreams from "../process/Streams.ts"
import * as RunStreams from "./RunStreams.ts"
import type { Watchdog } from "./Watchdog.ts"

/** What one run needs. */
export interface RunResources {
  readonly server: DebugServer.DebugServer
  readonly streams: RunStreams.RunStreams
  /** The path at which the held program waits for a debugger. */
  readonly socket: string
  /** Called once, when the output has a line that counts as a failure. */
  readonly onMatch: (listener: () => void) => void
}

/** Why the resources cannot be made. */
type Failure = Errors.ServerFailed | Errors.RequestError | PlatformError.PlatformError | ProgramStreams.StreamsFailed

/** What making them needs. */
type Services =
  | ProgramStreams.ProgramStreams
  | AdapterSockets.AdapterSockets
  | ChildProcessSpawner.ChildProcessSpawner
  | Scope.Scope

/** Makes the resources of a run, which belong to the scope. */
export const make = Effect.fn("Runs.prepare")(function* (
  executable: string,
  watchdogs: RcRef.RcRef<Watchdog, PlatformError.PlatformError>,
  test: ((line: string) => boolean) | undefined
): Effect.fn.Return<RunResources, Failure, Services> {
  const place = yield* ProgramStreams.ProgramStreams
  const sockets = yield* AdapterSockets.AdapterSockets
  const watchdog = yield* RcRef.get(watchdogs)
  const home = yield* place.home(true)
  let isMatched = false
  let listener: (() => void) | undefined
  const streams = yield* RunStreams.open(place, test, () => {
    isMatched = true
    listener?.()
  })
  let session: number | undefined
  yield* Effect.addFinalizer(() => (session === undefined ? Effect.void : watchdog.remove(session)))
  const server = yield* DebugServer.start({
    executable,
    kind: "lldb-server",
    listen: sockets.listen(`${home}/server`),
    spawned: (pid) => {
      session = pid
      return watchdog.add(pid)
    }
  })
  const resources: RunResources = {
    server,
    streams,
    socket: `${home}/held`,
    onMatch: (call) => {
      listener = call
      if (isMatched) call()
    }
  }
  return resources
})
