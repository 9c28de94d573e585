/**
 * Errors of a missing session (exit code 3), of a wrong state (4) and of timeouts (5). After a timeout nothing is lost.
 */
import * as Schema from "effect/Schema"
import { Identity } from "../model/Caller.ts"
import * as Hint from "../answers/Hint.ts"
import * as Base from "./Base.ts"

/** Describes the end of a process. */
const ending = (end: { readonly exit_code?: number | undefined; readonly signal?: string | undefined }) =>
  end.signal !== undefined
    ? `ended by ${end.signal}`
    : end.exit_code !== undefined
      ? `exited with code ${end.exit_code}`
      : "ended"

// Exit code 3

/** No session exists. */
export class NoSession extends Base.error<NoSession>()(
  "NoSession",
  Base.where,
  {},
  Base.code("NoSession", "NO_SESSION", 3, 404)
) {
  override get message() {
    return "no session: nothing is being debugged"
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.help("start")]
  }
}

/** No session has this name. */
export class SessionNotFound extends Base.error<SessionNotFound>()(
  "SessionNotFound",
  Base.where,
  { name: Schema.String, known: Base.Strings },
  Base.code("SessionNotFound", "SESSION_NOT_FOUND", 3, 404)
) {
  override get message() {
    return `no session is named ${this.name}${this.known.length === 0 ? "" : `; there are: ${this.known.join(", ")}`}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("sessions", {})]
  }
}

/** Several sessions are live and the call names none. */
export class AmbiguousSession extends Base.error<AmbiguousSession>()(
  "AmbiguousSession",
  Base.where,
  { names: Base.Strings },
  Base.code("AmbiguousSession", "AMBIGUOUS_SESSION", 3, 409)
) {
  override get message() {
    return `several sessions are live, name one: ${this.names.join(", ")}`
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    return this.names.length === 0
      ? [Hint.call("sessions", {})]
      : this.names.map((session) => Hint.call("status", { session }))
  }
}

/** A live session already has this name. */
export class SessionExists extends Base.error<SessionExists>()(
  "SessionExists",
  Base.where,
  { name: Schema.String },
  Base.code("SessionExists", "SESSION_EXISTS", 3, 409)
) {
  override get message() {
    return `session ${this.name} is alive; replace it, or use another session name`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("stop", { names: [this.name] })]
  }
}

// Exit code 4

/** The operation needs a stopped program, and the program is not stopped. */
export class NotStopped extends Base.error<NotStopped>()(
  "NotStopped",
  Base.where,
  { loaded: Schema.optionalKey(Schema.Boolean) },
  Base.code("NotStopped", "NOT_STOPPED", 4, 409)
) {
  override get message() {
    if (this.#hasEnded) return "the program has ended; this needs a stopped program"
    const how = this.loaded === true ? "loaded and not started" : (this.state ?? "not stopped")
    return `the program is ${how}; this needs a stopped program`
  }
  get #hasEnded(): boolean {
    return this.state === "exited" || this.state === "terminated"
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    if (this.#hasEnded) return [Hint.call("restart", {})]
    return [this.loaded === true ? Hint.call("run", {}) : Hint.call("pause", {})]
  }
}

/** The session has no process. */
export class NotRunning extends Base.error<NotRunning>()(
  "NotRunning",
  Base.where,
  {},
  Base.code("NotRunning", "NOT_RUNNING", 4, 409)
) {
  override get message() {
    return "no process is running"
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("status", {})]
  }
}

/** The program has ended. Every later call answers with its exit code or signal. */
export class ProcessEnded extends Base.error<ProcessEnded>()(
  "ProcessEnded",
  Base.where,
  { exit_code: Schema.optionalKey(Schema.Int), signal: Schema.optionalKey(Schema.String) },
  Base.code("ProcessEnded", "PROCESS_ENDED", 4, 410)
) {
  override get message() {
    return `the program has ${ending(this)}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("output", {})]
  }
}

/** The session or the simulator is in the wrong state; `problem` is the reason. */
export class InvalidState extends Base.error<InvalidState>()(
  "InvalidState",
  Base.where,
  { problem: Schema.String },
  Base.code("InvalidState", "INVALID_STATE", 4, 409)
) {
  override get message() {
    return this.problem
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("status", {})]
  }
}

/**
 * The session is not at the stop that the caller saw. Nothing was resumed. `stop` is the number of the newest stop, `by` is who
 * resumed the program last.
 */
export class StaleStop extends Base.error<StaleStop>()(
  "StaleStop",
  Base.where,
  { at_stop: Schema.Int, stop: Schema.Int, by: Schema.optionalKey(Identity) },
  Base.code("StaleStop", "STALE_STOP", 4, 409)
) {
  override get message() {
    const now =
      this.stop === this.at_stop
        ? `the program has left stop #${this.at_stop} and is ${this.state ?? "running"}`
        : `the session is ${this.state === undefined || this.state === "stopped" ? "at stop" : `${this.state} after stop`} #${this.stop}, not at #${this.at_stop}`
    return `${now}${this.by === undefined ? "" : `; ${this.by.id} resumed it last`}; nothing was resumed`
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    return this.state === "stopped" ? [Hint.call("context", {})] : [Hint.call("wait", {})]
  }
}

/** The daemon has reached its limit of connections, or a connection its limit of requests in flight. Nothing was run. */
export class Busy extends Base.error<Busy>()(
  "Busy",
  Base.where,
  {
    what: Schema.Literals(["connections", "requests"]),
    limit: Schema.Int,
    /** Milliseconds after which the call may be repeated. */
    retry_ms: Schema.Int
  },
  Base.code("Busy", "BUSY", 4, 429)
) {
  override get message() {
    return this.what === "connections"
      ? `the daemon is busy: it has ${this.limit} connections`
      : `the daemon is busy: this connection has ${this.limit} requests in flight`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.remedy(`repeat the call after ${this.retry_ms} ms`)]
  }
}

// Exit code 5

/**
 * No stop occurred within the timeout and the program keeps running. This is the only error with data; over HTTP that answer has the
 * status 200. With `awaited`, the process to attach to did not start. With `holder`, that actor still has the control lease that the caller waited for. `new_run`
 * is set if `back` or `last-write` ended its new run of the program; it has the number of writes, if that is known.
 */
export class WaitTimeout extends Base.error<WaitTimeout>()(
  "WaitTimeout",
  Base.where,
  {
    waited_ms: Schema.Int,
    output_bytes: Schema.Int,
    output_tail: Schema.optionalKey(Schema.String),
    awaited: Schema.optionalKey(Schema.String),
    holder: Schema.optionalKey(Identity),
    new_run: Schema.optionalKey(Schema.Struct({ writes: Schema.optionalKey(Schema.Int) }))
  },
  Base.code("WaitTimeout", "WAIT_TIMEOUT", 5, 504, ["output_tail"])
) {
  override get message() {
    const seconds = this.waited_ms / 1000
    if (this.new_run !== undefined) {
      const { writes } = this.new_run
      return `the new run was ended after ${seconds} s${writes === undefined ? "" : `; it had ${writes} writes so far`}`
    }
    if (this.holder !== undefined) {
      return `${this.holder.id} (${this.holder.role}) still drives ${this.session ?? "the session"} (waited ${seconds} s)`
    }
    if (this.awaited === undefined && this.state === "stopped")
      return `the program is stopped; what was waited for did not occur (waited ${seconds} s)`
    return this.awaited === undefined
      ? `running (waited ${seconds} s)`
      : `no process to attach to: ${this.awaited} did not start within ${seconds} s`
  }
  /** True if the caller waited for the program, which still runs: an answer, not a failure. */
  get runs(): boolean {
    return [this.awaited, this.holder, this.new_run].every((one) => one === undefined) && this.state !== "stopped"
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    if (this.new_run !== undefined) return [Hint.remedy("repeat the call with a longer timeout")]
    if (this.holder !== undefined) return [Hint.call("wait", { for: "control" }), Hint.call("control.show", {})]
    if (this.awaited === undefined && this.state === "stopped")
      return [Hint.call("context", {}), Hint.call("continue", {})]
    return this.awaited === undefined
      ? [Hint.call("wait", {}), Hint.call("pause", {})]
      : [Hint.remedy("start the process while the call waits, or wait longer")]
  }
}

/** The adapter did not answer a request in time; the session continues. `by` names another tool that did not answer. */
export class RequestTimeout extends Base.error<RequestTimeout>()(
  "RequestTimeout",
  Base.where,
  { command: Schema.String, after_ms: Schema.Int, by: Schema.optionalKey(Schema.String) },
  Base.code("RequestTimeout", "REQUEST_TIMEOUT", 5, 504)
) {
  override get message() {
    return `${this.by ?? "the debugger"} did not answer ${this.command} within ${this.after_ms / 1000} s`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("status", {}), Hint.call("stop", {}, "ends the session")]
  }
}
