/**
 * `control …`: one actor at a time can take the control of a session.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Identity } from "../model/Caller.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import { Lease, Participant } from "../model/Lease.ts"
import * as Operation from "../Operation.ts"

/** Who has control. `previous` is who had the lease before this call, if that was another one or it was released. */
class Control extends Model.of<Control>()(
  Schema.Struct({
    lease: Schema.optionalKey(Lease),
    previous: Schema.optionalKey(Identity),
    clients: Schema.Array(Participant)
  }).annotate({ identifier: "Control" })
) {}

/** Takes the control lease. */
export class ControlTake extends Operation.make("control.take", () => ({
  summary: "Take control of a session",
  description:
    "Takes the control lease of a session. Meanwhile other clients can read and pause; their other calls are refused with LEASE_HELD. A person always gets it, an agent only if no other client has it. It ends by control release, after 2 minutes without a call (control.idle), and with the connection of an MCP client or a repl.",
  effect: "control",
  effects: { for: "observe" },
  ignoresLease: true,
  payload: {
    for: Field.optionalDuration("At most this long, such as 10m (no limit)"),
    session: Field.session
  },
  data: Control,
  errors: [...Errors.selection, Errors.Usage],
  examples: [
    { title: "Take control", input: {} },
    { title: "Take control for at most ten minutes", input: { for: "10m" } }
  ]
})) {}

/** Ends the caller's control lease. */
export class ControlRelease extends Operation.make("control.release", () => ({
  summary: "Give up control of a session",
  description: "Ends the control lease of the caller. Succeeds if no client has it; fails if another client has it.",
  effect: "control",
  effects: {},
  ignoresLease: true,
  payload: { session: Field.session },
  data: Control,
  errors: Errors.selection,
  examples: [{ title: "Give up control", input: {} }]
})) {}

/** Shows who has control of a session. */
export class ControlShow extends Operation.make("control.show", () => ({
  summary: "Show who controls a session",
  description:
    "Returns the control lease of a session, if there is one, and the clients that called recently (2 minutes, or control.idle). The driver is the holder of the lease; without one it is who resumed the program last, which gives no rights.",
  effect: "observe",
  effects: {},
  payload: { session: Field.session },
  data: Control,
  errors: Errors.selection,
  examples: [{ title: "Show who drives", input: {} }]
})) {}
