/**
 * Holds a stopped run for the debugger that takes it over: its debug server waits at a socket for one client.
 */
import { Processes, type ProgramRuns } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as AdapterSockets from "../process/AdapterSockets.ts"
import type { RunResources } from "./RunResources.ts"

/** Timeout of the end of a killed program, in milliseconds. */
const killTimeout = 1000

/** The resources of a run, the scope that they belong to, and the effect that closes it. */
export interface Prepared {
  readonly resources: RunResources
  readonly own: Scope.Closeable
  readonly close: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>
}

/** Makes a held run of a stopped one. Its scope is closed when the run is released. */
export const make = Effect.fnUntraced(function* (
  { close, own, resources }: Prepared,
  pid: number,
  stopped: Pick<ProgramRuns.Held, "cause" | "code">
) {
  const processes = yield* Processes.Processes
  const sockets = yield* AdapterSockets.AdapterSockets
  const identity = yield* processes.identify(pid)
  const { server, socket, streams } = resources
  const listener = yield* Scope.provide(sockets.listen(socket), own)
  let isTaken = false
  yield* listener
    .run((peer) => {
      if (isTaken) return Effect.void
      isTaken = true
      return server.client.handOver(peer)
    })
    .pipe(Effect.ignore, Effect.forkIn(own))
  const held: ProgramRuns.Held = {
    pid,
    ...stopped,
    socket,
    streams,
    release: Effect.fnUntraced(function* (how) {
      if (how === "kill" && Option.isSome(identity)) {
        yield* processes.kill(identity.value, "SIGKILL")
        yield* processes.awaitExit(identity.value, killTimeout)
      }
      yield* close(Exit.void)
    })
  }
  return held
})
