/**
 * The handler of `detach`. It inspects the process afterwards and reports whether it runs.
 */
import { Errors, Hint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Ownership from "../../session/consent/Ownership.ts"
import { type Description, Processes } from "../../ports/Processes.ts"
import type { Session } from "../../session/Session.ts"

/** The kernel stops a process some time after SIGSTOP: polls every 10 ms for at most one second. */
const untilStopped = {
  schedule: Schedule.spaced("10 millis"),
  times: 99,
  until: Option.match({ onNone: () => true, onSome: ({ stopped }: Description) => stopped })
}

/** Detaches, ends the session and describes the process. */
export const detach = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"detach">) {
  yield* Ownership.permitEnd("detach", session)
  const { existing } = session.launch
  if (existing?.kind === "core") {
    return yield* new Errors.InvalidState({ problem: "a core file has no process to detach from" })
  }
  if (payload.suspended === true && existing?.kind === "remote") {
    return yield* new Errors.Unsupported({
      what: "leaving a program of another machine suspended",
      by: "the manager",
      remedies: [Hint.call("detach", {})]
    })
  }
  yield* session.connection
  const processes = yield* Processes
  const { pid } = session.log.snapshot
  const problem = yield* session.end({ how: "detach", suspended: payload.suspended === true })
  const noted = problem === undefined ? {} : { problem }
  // A process of another machine cannot be inspected.
  if (existing?.kind === "remote" || pid === undefined)
    return { data: { ...(pid === undefined ? {} : { pid }), ...noted } }
  const described = processes.describe(pid)
  const found = yield* payload.suspended === true ? Effect.repeat(described, untilStopped) : described
  return {
    data: Option.match(found, {
      onNone: () => ({ pid, alive: false, ...noted }),
      onSome: ({ stopped, traced }) => ({ pid, alive: true, suspended: stopped, traced, ...noted })
    })
  }
})
