/**
 * The environment (8), the debugger itself (9), a permission (10) or the daemon (11) is in the way.
 */
import * as Schema from "effect/Schema"
import * as Hint from "../Hint.ts"
import { advised, code, quoted, Strings, where } from "./Base.ts"

// Exit code 8

/** No such debugger on this machine; `looked` lists every place. */
export class AdapterNotFound extends Schema.TaggedError<AdapterNotFound>()(
  "AdapterNotFound",
  { ...advised, adapter: Schema.String, looked: Strings },
  code("AdapterNotFound", "ADAPTER_NOT_FOUND", 8, 424)
) {
  override get message() {
    return `no ${this.adapter} found; looked at: ${this.looked.join(", ")}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/** The debugger of this machine is older than what is needed of it. */
export class VersionTooOld extends Schema.TaggedError<VersionTooOld>()(
  "VersionTooOld",
  {
    ...advised,
    adapter: Schema.String,
    /** Its file. */
    path: Schema.String,
    version: Schema.String,
    /** The oldest version that will do. */
    needed: Schema.String
  },
  code("VersionTooOld", "VERSION_TOO_OLD", 8, 424)
) {
  override get message() {
    return `${this.adapter} ${this.version} (${this.path}) is too old; ${this.needed} or newer is needed`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/** The debugger was found but did not get as far as a session; `stage` says how far. */
export class AdapterStartFailed extends Schema.TaggedError<AdapterStartFailed>()(
  "AdapterStartFailed",
  {
    ...where,
    adapter: Schema.String,
    stage: Schema.String,
    detail: Schema.String,
    log: Schema.optionalKey(Schema.String)
  },
  code("AdapterStartFailed", "ADAPTER_START_FAILED", 8, 502)
) {
  override get message() {
    return `${this.adapter} failed at ${this.stage}: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.remedy(`${quoted(this.adapter)} --help`)]
  }
}

// Exit code 9

/** The adapter's process is gone; so is the program, when it was ours. */
export class AdapterCrashed extends Schema.TaggedError<AdapterCrashed>()(
  "AdapterCrashed",
  { ...where, detail: Schema.String, log: Schema.optionalKey(Schema.String) },
  code("AdapterCrashed", "ADAPTER_CRASHED", 9, 502)
) {
  override get message() {
    return `the debugger died: ${this.detail}`
  }
  get hints(): Hint.Hints {
    // Without a state there was no session yet, and there is none now.
    return this.remedies ?? [this.state === undefined ? Hint.local("doctor") : Hint.call("restart", {})]
  }
}

/** The session did not survive its daemon. */
export class SessionLost extends Schema.TaggedError<SessionLost>()(
  "SessionLost",
  { ...where, reason: Schema.String },
  code("SessionLost", "SESSION_LOST", 9, 410)
) {
  override get message() {
    return `the session is lost: ${this.reason}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("restart", {})]
  }
}

/** The adapter broke the protocol; the stream is not trusted again. */
export class ProtocolError extends Schema.TaggedError<ProtocolError>()(
  "ProtocolError",
  { ...where, detail: Schema.String },
  code("ProtocolError", "PROTOCOL_ERROR", 9, 502)
) {
  override get message() {
    return `the debugger broke the protocol: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("status", {})]
  }
}

/** A defect of ours. */
export class Internal extends Schema.TaggedError<Internal>()(
  "Internal",
  { ...where, detail: Schema.String },
  code("Internal", "INTERNAL", 9, 500)
) {
  override get message() {
    return `internal error: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.local("daemon.restart")]
  }
}

// Exit code 10

/** The operating system or a policy forbids it. */
export class Permission extends Schema.TaggedError<Permission>()(
  "Permission",
  { ...advised, detail: Schema.String },
  code("Permission", "PERMISSION", 10, 403)
) {
  override get message() {
    return `not permitted: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/** A policy forbids it; `rule` is the rule that does. */
export class Policy extends Schema.TaggedError<Policy>()(
  "Policy",
  { ...where, rule: Schema.String, what: Schema.String },
  code("Policy", "POLICY", 10, 403)
) {
  override get message() {
    return `the policy ${this.rule} does not allow ${this.what}`.replace(/,$/, "")
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("status", {})]
  }
}

// Exit code 11

/** No daemon answers and none could be started. */
export class DaemonUnreachable extends Schema.TaggedError<DaemonUnreachable>()(
  "DaemonUnreachable",
  { ...advised, detail: Schema.String },
  code("DaemonUnreachable", "DAEMON_UNREACHABLE", 11, 503)
) {
  override get message() {
    return `the daemon cannot be reached: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/** Client and daemon speak different protocol versions. */
export class DaemonVersion extends Schema.TaggedError<DaemonVersion>()(
  "DaemonVersion",
  { ...where, client: Schema.String, daemon: Schema.String, sessions: Schema.Int },
  code("DaemonVersion", "DAEMON_VERSION", 11, 426)
) {
  override get message() {
    return `the daemon speaks ${this.daemon}, this client ${this.client}; ${this.sessions} sessions are alive in it`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.local("daemon.restart")]
  }
}
