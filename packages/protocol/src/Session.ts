/**
 * What a session is to its callers: its state, its summary, its adapter.
 */
import * as Schema from "effect/Schema"

/**
 * Where a session stands. `none` is the answer when there is no session; `lost` means that the debugger or the daemon
 * died and nothing is known any more.
 */
export const SessionState = Schema.Literals([
  "none",
  "starting",
  "running",
  "stopped",
  "exited",
  "terminated",
  "detached",
  "lost"
]).annotate({ identifier: "SessionState", description: "Where the session stands" })
/** Where a session stands. */
export type SessionState = typeof SessionState.Type

/** States in which a process exists and the debugger holds it. */
export const isLive = (state: SessionState): boolean =>
  state === "starting" || state === "running" || state === "stopped"

/** The optional `session` field of nearly every operation. */
export const Name = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._-]{1,64}$/, {
    message: "Write a session name with letters, digits, dot, dash or underscore, at most 64"
  })
).annotate({ description: "Session to act on; the only one when left out" })

/** The debugger behind a session. */
export const Adapter = Schema.Struct({
  name: Schema.String,
  version: Schema.optionalKey(Schema.String),
  backend: Schema.Literals(["dap", "lldb-cli"])
}).annotate({ identifier: "Adapter" })
/** The debugger behind a session. */
export type Adapter = typeof Adapter.Type

/** Something that can be done in a session, and who does it; `none` when nobody can. */
export const Feature = Schema.Struct({
  name: Schema.String,
  by: Schema.Literals(["adapter", "command", "manager", "none"])
}).annotate({ identifier: "Feature" })
/** Something that can be done in a session, and who does it. */
export type Feature = typeof Feature.Type

/** One line of `sessions`. Times are whole seconds; `current` is the one that is meant where the caller is. */
export const SessionSummary = Schema.Struct({
  name: Schema.String,
  state: SessionState,
  program: Schema.String,
  pid: Schema.optionalKey(Schema.Int),
  age_s: Schema.Int,
  idle_s: Schema.Int,
  current: Schema.Boolean,
  label: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "SessionSummary" })
/** One line of `sessions`. */
export type SessionSummary = typeof SessionSummary.Type
