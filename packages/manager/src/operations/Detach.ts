/**
 * `detach`: the program is let go, and then looked at, since "let go" is a claim about somebody else's process.
 */
import { Errors, Hint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Processes } from "../ports/Processes.ts"
import type { Session } from "../session/Session.ts"

/** Ends the session and says how its program stands. */
export const detach = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"detach">) {
  const { existing } = session.launch
  if (existing?.kind === "core") {
    return yield* new Errors.InvalidState({ problem: "a core file holds no process that could be let go" })
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
  yield* session.end({ how: "detach", suspended: payload.suspended === true })
  // A process of another machine cannot be looked at from here.
  if (existing?.kind === "remote" || pid === undefined) return { data: pid === undefined ? {} : { pid } }
  const found = yield* processes.describe(pid)
  return {
    data: Option.match(found, {
      onNone: () => ({ pid, alive: false }),
      onSome: ({ stopped, traced }) => ({ pid, alive: true, suspended: stopped, traced })
    })
  }
})
