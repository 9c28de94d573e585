/**
 * Ends a daemon, whether or not it answers: by a request to it, by a request to its supervisor, or by SIGKILL to the process
 * that holds the lock. Before a signal, its pid and start time are compared with the process table.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { MonotonicTime } from "@sigtrap/protocol"
import * as ProcessTable from "../../process/ProcessTable.ts"
import type { Place } from "../../runtime/RuntimePath.ts"
import * as HolderRecord from "../start/HolderRecord.ts"
import * as RecordedPrograms from "../supervisor/RecordedPrograms.ts"
import * as RemoteClient from "./RemoteClient.ts"
import * as SupervisorClient from "../supervisor/SupervisorClient.ts"

/** The times that the parts of a stop may take, in milliseconds. */
export interface Times {
  /** For the daemon to answer the request. */
  readonly answer: number
  /** For the daemon to end its sessions and to release its lock after its answer. */
  readonly orderly: number
  /** For the process of such a daemon to exit. Bun stores compiled code then, which takes a quarter of a second once. */
  readonly exit: number
  /** For the supervisor to answer. */
  readonly supervisor: number
  /** For a killed daemon to disappear from the process table. The system takes a while to free the memory of a large process. */
  readonly killed: number
}

/** With these times the whole stop takes at most two seconds. */
const times: Times = { answer: 400, orderly: 700, exit: 400, supervisor: SupervisorClient.TIMEOUT, killed: 400 }

/** Time between two looks at the process table, in milliseconds. */
const POLL = 10

/** The programs of a daemon that was ended by force. */
export type Programs = RecordedPrograms.Report

/** How a daemon ended. */
export interface Stopped {
  readonly pid: number
  /** Who ended it. */
  readonly by: "request" | "supervisor" | "client"
  /** Its programs, unless it ended them in order. */
  readonly programs?: Programs
}

/** Waits until a condition is true; returns false if it is not within the time. */
const awaitUntil = Effect.fnUntraced(function* (isTrue: () => boolean, millis: number) {
  const end = (yield* MonotonicTime.now) + millis
  while (!isTrue()) {
    if ((yield* MonotonicTime.now) >= end) return false
    yield* Effect.sleep(POLL)
  }
  return true
})

const awaitExit = (one: ProcessTable.Identity, millis: number) => awaitUntil(() => !ProcessTable.runs(one), millis)

/** Waits for the end of a daemon that has answered: it removes its record last, and then its process exits. */
const awaitOrderlyEnd = Effect.fnUntraced(function* (
  place: Place,
  holder: ProcessTable.Identity,
  { exit, killed, orderly }: Times
) {
  const released = () => HolderRecord.read(place.holder)?.pid !== holder.pid
  if (!(yield* awaitUntil(() => !ProcessTable.runs(holder) || released(), orderly))) return false
  if (yield* awaitExit(holder, exit)) return true
  ProcessTable.kill(holder)
  return yield* awaitExit(holder, killed)
})

/** Asks the daemon to stop; returns its answer, if it comes within a time. */
const request = (place: Place, within: number) =>
  RemoteClient.stop(place.socket).pipe(
    Effect.timeoutOption(within),
    Effect.map(Option.filter((answer) => answer !== undefined)),
    Effect.orElseSucceed(Option.none)
  )

const ended = (pid: number, by: Stopped["by"], programs?: Programs): Stopped => ({
  pid,
  by,
  ...(programs === undefined ? {} : { programs })
})

/**
 * Ends the daemon of a runtime directory within two seconds, unless the caller allows a part more time. Returns `undefined` if
 * none runs, and "running" if its process could not be ended.
 */
export const run = Effect.fn("ForcedStop.run")(function* (place: Place, allowed: Partial<Times> = {}) {
  const limits: Times = { ...times, ...allowed }
  const { answer, killed, supervisor } = limits
  const recorded = HolderRecord.read(place.holder)
  const asked = Option.getOrUndefined(yield* request(place, answer))
  const pid = asked?.pid ?? (recorded === undefined ? (yield* SupervisorClient.ask(place, "status"))?.pid : undefined)
  const holder = recorded ?? (pid === undefined ? undefined : ProcessTable.find(pid))
  // It has ended since it answered.
  if (holder === undefined) return asked === undefined ? undefined : ended(asked.pid, "request")
  if (asked !== undefined && (yield* awaitOrderlyEnd(place, holder, limits))) return ended(holder.pid, "request")
  const supervised = yield* SupervisorClient.ask(place, "stop", supervisor)
  if (supervised !== undefined && (yield* awaitExit(holder, killed)))
    return ended(holder.pid, "supervisor", supervised.programs)
  const programs = RecordedPrograms.end(place.sessions)
  ProcessTable.kill(holder)
  return (yield* awaitExit(holder, killed)) ? ended(holder.pid, "client", programs) : "running"
})
