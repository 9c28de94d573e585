/**
 * The control lease of a session and its clients.
 *
 * While an actor has the lease, others may read the session, pause its program and take the lease; every other call of
 * theirs is refused. Only `control take` makes a lease ([decision 28](../../../docs/decisions/0028-control-lease.md)).
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Identity } from "./Caller.ts"

/** Time without a call after which a lease ends and a client counts as gone, in milliseconds; `control.idle` changes it. */
export const idleMillis = 120_000

/**
 * A lease. `since` and `until` are milliseconds since 1970; `until` is set if it was taken for a time. It ends earlier if the
 * holder makes no call for `idle_s` seconds.
 */
export class Lease extends Model.of<Lease>()(
  Schema.Struct({
    holder: Identity,
    since: Schema.Finite,
    idle_s: Schema.optionalKey(Schema.Int),
    until: Schema.optionalKey(Schema.Finite)
  }).annotate({
    identifier: "Lease"
  })
) {}

/** Why a lease began or ended: `idle` after `idle_s`, `expired` at `until`, `disconnected` with the holder's last connection. */
export const Reason = Schema.Literals(["taken", "released", "expired", "idle", "disconnected", "ended"]).annotate({
  identifier: "LeaseReason"
})
/** Why a lease began or ended. */
export type Reason = typeof Reason.Type

/**
 * A client that called within that time. `drive` is the holder of the lease or, without one, who resumed the program last
 * within that time. `since` is when it called first, in milliseconds since 1970.
 */
export class Participant extends Model.of<Participant>()(
  Schema.Struct({ actor: Identity, role: Schema.Literals(["drive", "view"]), since: Schema.Finite }).annotate({
    identifier: "Participant"
  })
) {}
