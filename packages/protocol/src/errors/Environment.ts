/**
 * Errors of the environment (exit code 8), the debugger (9), permissions (10) and the daemon (11).
 */
import * as Schema from "effect/Schema"
import * as Caller from "../model/Caller.ts"
import * as Effects from "../Effects.ts"
import * as Hint from "../answers/Hint.ts"
import * as Base from "./Base.ts"

/** Most characters of a value in a message. */
const longest = 200

const shortened = (value: string): string => (value.length > longest ? `${value.slice(0, longest)}…` : value)

// Exit code 8

/** The debugger of this program is not installed; `looked` lists the places that were searched. */
export class AdapterNotFound extends Base.error<AdapterNotFound>()(
  "AdapterNotFound",
  Base.advised,
  { adapter: Schema.String, looked: Base.Strings },
  Base.code("AdapterNotFound", "ADAPTER_NOT_FOUND", 8, 424)
) {
  override get message() {
    return `${this.adapter} not found; looked at: ${this.looked.join(", ")}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/** The installed debugger is too old. */
export class VersionTooOld extends Base.error<VersionTooOld>()(
  "VersionTooOld",
  Base.advised,
  {
    adapter: Schema.String,
    /** The path of its executable. */
    path: Schema.String,
    version: Schema.String,
    /** The oldest supported version. */
    needed: Schema.String
  },
  Base.code("VersionTooOld", "VERSION_TOO_OLD", 8, 424)
) {
  override get message() {
    return `${this.adapter} ${this.version} (${this.path}) is too old; ${this.needed} or newer is needed`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/** The debugger was found but did not start a session; `stage` is where it failed. */
export class AdapterStartFailed extends Base.error<AdapterStartFailed>()(
  "AdapterStartFailed",
  Base.where,
  {
    adapter: Schema.String,
    stage: Schema.String,
    detail: Schema.String,
    log: Schema.optionalKey(Schema.String)
  },
  Base.code("AdapterStartFailed", "ADAPTER_START_FAILED", 8, 502, ["detail", "log"])
) {
  override get message() {
    return `${this.adapter} failed at ${this.stage}: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.remedy(`${Base.quoted(this.adapter)} --help`)]
  }
}

// Exit code 9

/** The adapter's process ended unexpectedly. A program that it had launched ended with it. */
export class AdapterCrashed extends Base.error<AdapterCrashed>()(
  "AdapterCrashed",
  Base.where,
  { detail: Schema.String, log: Schema.optionalKey(Schema.String) },
  Base.code("AdapterCrashed", "ADAPTER_CRASHED", 9, 502, ["detail", "log"])
) {
  override get message() {
    return `the debugger died: ${this.detail}`
  }
  get hints(): Hint.Hints {
    // Without a state there was no session yet, and there is none now.
    return this.remedies ?? [this.state === undefined ? Hint.local("doctor") : Hint.call("restart", {})]
  }
}

/** The session was lost with its daemon or its debugger. */
export class SessionLost extends Base.error<SessionLost>()(
  "SessionLost",
  Base.where,
  { reason: Schema.String },
  Base.code("SessionLost", "SESSION_LOST", 9, 410, ["reason"])
) {
  override get message() {
    return `the session is lost: ${this.reason}`
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    return [Hint.call("recover", this.session === undefined ? {} : { name: this.session })]
  }
}

/** The adapter violated the protocol. The connection is closed. */
export class ProtocolError extends Base.error<ProtocolError>()(
  "ProtocolError",
  Base.where,
  { detail: Schema.String },
  Base.code("ProtocolError", "PROTOCOL_ERROR", 9, 502, ["detail"])
) {
  override get message() {
    return `the debugger violated its protocol: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("status", {})]
  }
}

/** A defect in sigtrap. */
export class Internal extends Base.error<Internal>()(
  "Internal",
  Base.where,
  { detail: Schema.String },
  Base.code("Internal", "INTERNAL", 9, 500, ["detail"])
) {
  override get message() {
    return `internal error: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.local("daemon.restart")]
  }
}

// Exit code 10

/** The operating system or the server does not permit the call. */
export class Permission extends Base.error<Permission>()(
  "Permission",
  Base.advised,
  { detail: Schema.String },
  Base.code("Permission", "PERMISSION", 10, 403)
) {
  override get message() {
    return `not permitted: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/** A server refused a request by one of its access rules, before it read the operation. The status follows from the rule. */
export class AccessDenied extends Base.error<AccessDenied>()(
  "AccessDenied",
  Base.advised,
  { rule: Schema.String, detail: Schema.String },
  Base.code("AccessDenied", "ACCESS_DENIED", 10, 403)
) {
  override get message() {
    return this.detail
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/** Rules of the configuration, which no session sets. */
const configured: ReadonlySet<string> = new Set(["no-attach", "no-launch", "roots", "env-deny"])

/** A rule of the session's policy does not allow the call. */
export class Policy extends Base.error<Policy>()(
  "Policy",
  Base.where,
  { rule: Schema.String, what: Schema.String },
  Base.code("Policy", "POLICY", 10, 403)
) {
  override get message() {
    return `the policy ${this.rule} does not allow ${this.what}`.replace(/,$/, "")
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    // Values can be read without evaluating. `config get` shows what a rule of the configuration allows.
    if (this.what === "evaluating expressions") return [Hint.call("locals", {})]
    return configured.has(this.rule) ? [Hint.local("config.get", [`policy.${this.rule}`])] : [Hint.call("status", {})]
  }
}

/**
 * The caller has no permission for an effect of its call. Nothing was done. `missing` has each effect with its tier, its field and the
 * source of the value. `why` is set if a person was asked, and says how that ended. `who` can allow the call. `requests` are the
 * numbers of the questions that the caller's surface shows in a form; the repeated call names them.
 */
export class TierRequired extends Base.error<TierRequired>()(
  "TierRequired",
  Base.where,
  {
    operation: Schema.String,
    missing: Schema.Array(Schema.Struct({ ...Effects.Use.fields, tier: Schema.Literals(Effects.tiers) })),
    why: Schema.optionalKey(Schema.String),
    who: Schema.optionalKey(Schema.String),
    requests: Schema.optionalKey(Schema.Array(Schema.Int))
  },
  Base.code("TierRequired", "TIER_REQUIRED", 10, 403, ["missing"])
) {
  override get message() {
    // The effect of the operation itself says nothing beside a field with the same effect.
    const named = this.missing.filter(
      (use) =>
        use.field !== undefined ||
        use.destroys !== undefined ||
        !this.missing.some(({ effect, field }) => effect === use.effect && field !== undefined)
    )
    const needs = named.map(({ destroys, effect, field, source, tier, value }) => {
      const name = field === undefined || source !== undefined ? "" : `${field} `
      const what = source ?? (value === undefined ? "" : Base.quoted(shortened(value)))
      const loss = destroys === undefined ? "" : `, which ends or destroys ${destroys}`
      const from = name === "" && what === "" ? "" : `: ${name}${what}`
      // An effect with the name of its tier says nothing beside it.
      return effect === tier && from === "" && loss === "" ? tier : `${tier} (${effect}${from}${loss})`
    })
    return `${this.operation} needs the tier ${[...new Set(needs)].join(", ")}${this.why === undefined ? "" : `; ${this.why}`}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.remedy("ask the person who runs the daemon to allow it or to make the call")]
  }
}

/** A person was asked about the call and did not allow it, or no person answered in time. Nothing was done. */
export class ConsentDenied extends Base.error<ConsentDenied>()(
  "ConsentDenied",
  Base.where,
  {
    operation: Schema.String,
    request: Schema.Int,
    by: Schema.Union([Caller.Identity, Schema.Literal("timeout")])
  },
  Base.code("ConsentDenied", "CONSENT_DENIED", 10, 403)
) {
  override get message() {
    const what = `${this.operation} was not allowed: `
    return this.by === "timeout"
      ? `${what}no person answered request ${this.request} in time`
      : `${what}${this.by.id} (${this.by.role}) denied request ${this.request}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.remedy("tell the person why the call is needed before you repeat it")]
  }
}

// Exit code 11

/** No daemon answers and none could be started. */
export class DaemonUnreachable extends Base.error<DaemonUnreachable>()(
  "DaemonUnreachable",
  Base.advised,
  { detail: Schema.String },
  Base.code("DaemonUnreachable", "DAEMON_UNREACHABLE", 11, 503)
) {
  override get message() {
    return `the daemon cannot be reached: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/**
 * Client and daemon have protocols that differ too much, so the daemon did not answer. `ended` is true if the daemon had nothing to do and has
 * ended: the client starts one of its own version. The versions are then those of the product, otherwise those of the protocol.
 */
export class DaemonVersion extends Base.error<DaemonVersion>()(
  "DaemonVersion",
  Base.where,
  {
    client: Schema.String,
    daemon: Schema.String,
    sessions: Schema.Int,
    ended: Schema.optionalKey(Schema.Boolean)
  },
  Base.code("DaemonVersion", "DAEMON_VERSION", 11, 426)
) {
  override get message() {
    const versions = this.ended === true ? "version" : "protocol"
    return `the daemon has ${versions} ${this.daemon}, this client ${this.client}; the daemon has ${this.sessions} live ${this.sessions === 1 ? "session" : "sessions"}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.local("daemon.restart")]
  }
}
