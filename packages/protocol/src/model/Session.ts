/**
 * Models of a session: state, summary, adapter, features.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Capability from "./Capability.ts"
import * as FieldFacts from "../FieldFacts.ts"

const states = ["none", "starting", "running", "stopped", "exited", "terminated", "detached", "lost"] as const

/** The schema of a session's state. */
export interface StateSchema extends Schema.Literals<typeof states> {}

/**
 * The state of a session. `none` means that there is no session; `lost` that the debugger or the daemon died and the state
 * of the program is unknown.
 */
export const SessionState: StateSchema = Schema.Literals(states).annotate({
  identifier: "SessionState",
  description: "State of the session"
})
/** The state of a session. */
export type SessionState = typeof SessionState.Type

/** Returns true if the session has a process under the debugger. */
export const isLive = (state: SessionState): boolean =>
  state === "starting" || state === "running" || state === "stopped"

/** The name of a session; the `session` field of most operations. */
export const Name = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._-]{1,64}$/, {
    message: "write a session name with letters, digits, dot, dash or underscore, at most 64"
  })
).annotate({ description: "Session to act on (the current or only one)", ...FieldFacts.placeholder("SESSION") })

/** The debugger behind a session. */
export class Adapter extends Model.of<Adapter>()(
  Schema.Struct({
    name: Schema.String,
    version: Schema.optionalKey(Schema.String),
    /** How the debugger is driven: `dap`, `lldb-cli`, or the name of another backend. */
    backend: Schema.String,
    /** Preferred files of the debugger that were not used, each with the reason. */
    skipped: Schema.optionalKey(Schema.Array(Schema.String))
  }).annotate({ identifier: "Adapter" })
) {}

/**
 * A capability in a session and its supplier: the debug adapter, a command of the debugger, the manager, or `none`. `name` is
 * the capability's title.
 */
export class Feature extends Model.of<Feature>()(
  Schema.Struct({
    id: Capability.Id,
    name: Schema.String,
    by: Schema.Literals(["adapter", "command", "manager", "none"])
  }).annotate({ identifier: "Feature" })
) {}

/** Returns the feature of a capability that `by` supplies. */
export const feature = (id: Capability.Id, by: Feature["by"]): Feature => ({ id, name: Capability.title(id), by })

/** A line of `sessions`. Times are in whole seconds; `current` marks the session of the caller's directory. */
export class SessionSummary extends Model.of<SessionSummary>()(
  Schema.Struct({
    name: Schema.String,
    state: SessionState,
    program: Schema.String,
    pid: Schema.optionalKey(Schema.Int),
    age_s: Schema.Int,
    idle_s: Schema.Int,
    current: Schema.Boolean,
    label: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "SessionSummary" })
) {}
