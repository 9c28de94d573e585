/**
 * Who may end, restart or replace a session: the actor that began it, a person in front of a page, and callers that may destroy
 * what others began. While an actor has the control lease, only that one may.
 */
import { Caller, type Effects, Errors, Hint, Session as Model } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Permission from "../../model/permissions/Permission.ts"
import type { Session } from "../Session.ts"

/** Returns who began a session as text; `another client` for a session of an earlier daemon. */
const beginner = ({ beganBy }: Session): string => (beganBy === undefined ? "another client" : Caller.describe(beganBy))

/** Returns the effect of ending this session, which a caller needs that did not begin it. `field` is the field that asks for it. */
export const usesToEnd = (session: Session, field?: string): Effect.Effect<ReadonlyArray<Effects.Use>> =>
  Effect.map(Caller.Current, ({ actor }) => {
    const isOwn = session.beganBy !== undefined && Caller.same(session.beganBy, actor)
    // The kind page is that of the token, so no other client has it.
    if (isOwn || actor.kind === "page" || !Model.isLive(session.log.snapshot.state)) return []
    return [
      {
        effect: "launch",
        destroys: `the session ${session.name}, which ${beginner(session)} began`,
        ...(field === undefined ? {} : { field })
      }
    ]
  })

/**
 * Fails unless the caller may end this session. Anyone may remove an ended session without a control lease of another. `field` is the
 * field that asks for it.
 */
export const permitEnd = (
  operation: string,
  session: Session,
  field?: string
): Effect.Effect<void, Errors.TierRequired | Errors.LeaseHeld> =>
  usesToEnd(session, field).pipe(
    Effect.flatMap((uses) => (uses.length === 0 ? Effect.void : Permission.permit(operation, uses))),
    Effect.andThen(permitControl(session))
  )

/** Fails if another actor has the control lease of a session. */
export const permitControl = (session: Session): Effect.Effect<void, Errors.LeaseHeld> =>
  Effect.mapError(session.lease.permit, (error) =>
    Errors.locate(error, { session: session.name, state: session.log.snapshot.state })
  )

/** Returns the error for a name that a live session has: replace that session, or start one of another name. */
export const nameInUse = (name: string): Errors.SessionExists =>
  new Errors.SessionExists({
    name,
    remedies: [
      Hint.again("start", { replace: true }),
      Hint.again("start", { session: `${name.slice(0, 60)}-2` }),
      Hint.call("stop", { names: [name] })
    ]
  })

/** Fails unless the caller may kill a process that the session attached to. */
export const permitKill = (operation: string, session: Session): Effect.Effect<void, Errors.TierRequired> =>
  session.launch.existing?.kind === "process" && session.launch.existing.release === undefined
    ? Permission.permit(operation, [
        {
          effect: "launch",
          field: "kill",
          destroys: `the process ${session.log.snapshot.pid ?? ""}, which the session only attached to`
        }
      ])
    : Effect.void
