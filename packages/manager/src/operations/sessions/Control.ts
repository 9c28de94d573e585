/**
 * Handlers of the control lease: take, release, show.
 */
import { type Caller, Errors, Field, Hint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../../session/Session.ts"
import * as Status from "./Status.ts"

const answer = (session: Session, previous?: Caller.Identity) =>
  Effect.map(Status.control(session), (control) => ({
    data: { ...control, ...(previous === undefined ? {} : { previous }) }
  }))

/** Handles `control.take`. */
export const take = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"control.take">) {
  const millis = payload.for === undefined ? Infinity : Field.millis(payload.for)
  if (millis === 0) {
    return yield* new Errors.Usage({
      problem: "a lease that ends at once has no effect",
      near: [],
      remedies: [Hint.again("control.take", { for: "10m" })]
    })
  }
  return yield* answer(session, yield* session.lease.take(millis))
})

/** Handles `control.release`. */
export const release = (session: Session) =>
  Effect.flatMap(session.lease.release, (previous) => answer(session, previous))

/** Handles `control.show`. */
export const show = (session: Session) => answer(session)
