/**
 * Finds out about the daemon of a runtime directory within about a second: from the daemon; if it does not answer, from its
 * supervisor; if that does not answer either, from the record of the lock's holder and the process table.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as ProcessTable from "../../process/ProcessTable.ts"
import type { Place } from "../../runtime/RuntimePath.ts"
import * as HolderRecord from "../start/HolderRecord.ts"
import * as RemoteClient from "./RemoteClient.ts"
import * as SupervisorClient from "../supervisor/SupervisorClient.ts"

/** Time for the daemon to answer before its supervisor is asked. */
const ANSWER = "400 millis"

/** The main thread is held if it has not run for this time, in milliseconds. It stores its time twice a second. */
const HELD = 750

/** A daemon that does not answer. */
export interface Unresponsive {
  readonly _tag: "Unresponsive"
  readonly pid: number
  readonly version: string
  /** Milliseconds since 1970. */
  readonly started_at: number
  /** Time since its main thread ran last, in milliseconds; absent if its supervisor does not answer. */
  readonly unanswered_ms?: number
  /** State of its process, if the supervisor does not answer. */
  readonly process_state?: ProcessTable.State
}

const supervised = ({ pid, started_at, unanswered_ms, version }: SupervisorClient.Answer): Unresponsive => ({
  _tag: "Unresponsive",
  pid,
  version,
  started_at,
  unanswered_ms
})

const recorded = (place: Place): Unresponsive | undefined => {
  const holder = HolderRecord.read(place.holder)
  if (holder === undefined) return undefined
  const { pid, started_at, version } = holder
  return { _tag: "Unresponsive", pid, version, started_at, process_state: ProcessTable.stateOf(pid) ?? "unknown" }
}

/** Returns the connection, what is known of a daemon that does not answer, or `undefined` if none listens. */
export const run = Effect.fn("DaemonState.run")(function* (place: Place) {
  const dialing = yield* Effect.forkChild(RemoteClient.dial(place.socket), { startImmediately: true })
  const early = yield* Effect.timeoutOption(Fiber.join(dialing), ANSWER)
  if (Option.isSome(early)) return early.value
  const holder = recorded(place)
  // Its supervisor is a thread of the same process.
  if (holder?.process_state === "stopped") return holder
  const first = yield* SupervisorClient.ask(place, "status")
  const behind = HELD - (first?.unanswered_ms ?? HELD)
  if (behind > 0) {
    const late = yield* Effect.timeoutOption(Fiber.join(dialing), behind)
    if (Option.isSome(late)) return late.value
  }
  const found = behind > 0 ? yield* SupervisorClient.ask(place, "status") : first
  const silent = found === undefined ? holder : supervised(found)
  if (silent !== undefined && (silent.unanswered_ms ?? HELD) >= HELD) return silent
  // Its main thread runs, but slowly, or another program listens on the socket.
  return yield* Fiber.join(dialing).pipe(
    Effect.catchTag("DaemonUnreachable", (error) =>
      silent === undefined ? Effect.fail(error) : Effect.succeed(silent)
    )
  )
})
