/**
 * Errors of sharing a session: another actor has control (exit code 10).
 */
import * as Hint from "../answers/Hint.ts"
import { Lease } from "../model/Lease.ts"
import * as Base from "./Base.ts"

/** Returns the time of day of milliseconds since 1970, in UTC: `10:31:02 UTC`. */
const clock = (time: number): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? "an unknown time" : `${date.toISOString().slice(11, 19)} UTC`
}

/** Another actor has the control lease of the session. Nothing was done. */
export class LeaseHeld extends Base.error<LeaseHeld>()(
  "LeaseHeld",
  Base.where,
  Lease.fields,
  Base.code("LeaseHeld", "LEASE_HELD", 10, 409)
) {
  override get message() {
    const until = this.until === undefined ? "" : ` until ${clock(this.until)}`
    return `${this.holder.id} (${this.holder.role}) drives ${this.session ?? "the session"} since ${clock(this.since)}${until}; nothing was done`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("wait", { for: "control" }), Hint.call("control.show", {})]
  }
}
