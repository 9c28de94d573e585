/**
 * There is no such session (3), it is in the wrong state (4), or time is up and nothing is lost (5).
 */
import * as Schema from "effect/Schema"
import * as Hint from "../Hint.ts"
import { code, Strings, where } from "./Base.ts"

/** A process's end, as later answers repeat it. */
const ending = (end: { readonly exit_code?: number | undefined; readonly signal?: string | undefined }) =>
  end.signal !== undefined
    ? `ended by ${end.signal}`
    : end.exit_code !== undefined
      ? `exited ${end.exit_code}`
      : "ended"

// Exit code 3

/** There is no session at all. */
export class NoSession extends Schema.TaggedError<NoSession>()(
  "NoSession",
  { ...where },
  code("NoSession", "NO_SESSION", 3, 404)
) {
  override get message() {
    return "no session: nothing is being debugged; start PROGRAM --break FILE:LINE begins one"
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.help("start")]
  }
}

/** No session has that name. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()(
  "SessionNotFound",
  { ...where, name: Schema.String, known: Strings },
  code("SessionNotFound", "SESSION_NOT_FOUND", 3, 404)
) {
  override get message() {
    return `no session is called ${this.name}${this.known.length === 0 ? "" : `; there are: ${this.known.join(", ")}`}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("sessions", {})]
  }
}

/** Several sessions are alive and none was named. */
export class AmbiguousSession extends Schema.TaggedError<AmbiguousSession>()(
  "AmbiguousSession",
  { ...where, names: Strings },
  code("AmbiguousSession", "AMBIGUOUS_SESSION", 3, 409)
) {
  override get message() {
    return `several sessions are alive: ${this.names.join(", ")}`
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    return this.names.length === 0
      ? [Hint.call("sessions", {})]
      : this.names.map((session) => Hint.call("status", { session }))
  }
}

/** A live session has that name already. */
export class SessionExists extends Schema.TaggedError<SessionExists>()(
  "SessionExists",
  { ...where, name: Schema.String },
  code("SessionExists", "SESSION_EXISTS", 3, 409)
) {
  override get message() {
    return `session ${this.name} is still alive; use --replace to end it first, or --session NAME beside it`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("stop", { names: [this.name] })]
  }
}

// Exit code 4

/** The operation reads a stopped program, and this one is not stopped. */
export class NotStopped extends Schema.TaggedError<NotStopped>()(
  "NotStopped",
  { ...where, loaded: Schema.optionalKey(Schema.Boolean) },
  code("NotStopped", "NOT_STOPPED", 4, 409)
) {
  override get message() {
    const how = this.loaded === true ? "loaded and was not begun" : (this.state ?? "not stopped")
    return `the program is ${how}; this needs a stopped program`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [this.loaded === true ? Hint.call("run", {}) : Hint.call("pause", {})]
  }
}

/** There is no process to act on. */
export class NotRunning extends Schema.TaggedError<NotRunning>()(
  "NotRunning",
  { ...where },
  code("NotRunning", "NOT_RUNNING", 4, 409)
) {
  override get message() {
    return "there is no running process"
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("status", {})]
  }
}

/** The program has ended; how is repeated in every later answer. */
export class ProcessEnded extends Schema.TaggedError<ProcessEnded>()(
  "ProcessEnded",
  { ...where, exit_code: Schema.optionalKey(Schema.Int), signal: Schema.optionalKey(Schema.String) },
  code("ProcessEnded", "PROCESS_ENDED", 4, 410)
) {
  override get message() {
    return `the program has ${ending(this)}`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("output", {})]
  }
}

/** The session, or the device, is in no state for this; `problem` says why. */
export class InvalidState extends Schema.TaggedError<InvalidState>()(
  "InvalidState",
  { ...where, problem: Schema.String },
  code("InvalidState", "INVALID_STATE", 4, 409)
) {
  override get message() {
    return this.problem
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("status", {})]
  }
}

// Exit code 5

/**
 * No stop came within the wait; the program goes on. The one error that carries data. With `awaited` there is no program
 * yet: it was to appear, and did not.
 */
export class WaitTimeout extends Schema.TaggedError<WaitTimeout>()(
  "WaitTimeout",
  {
    ...where,
    waited_ms: Schema.Int,
    output_bytes: Schema.Int,
    output_tail: Schema.optionalKey(Schema.String),
    awaited: Schema.optionalKey(Schema.String)
  },
  code("WaitTimeout", "WAIT_TIMEOUT", 5, 504)
) {
  override get message() {
    const seconds = this.waited_ms / 1000
    return this.awaited === undefined
      ? `running (waited ${seconds} s)`
      : `nothing to attach to: ${this.awaited} was not started within ${seconds} s`
  }
  get hints(): Hint.Hints {
    if (this.remedies !== undefined) return this.remedies
    return this.awaited === undefined
      ? [Hint.call("wait", {}), Hint.call("pause", {})]
      : [Hint.remedy("start it meanwhile, or wait longer")]
  }
}

/** The adapter did not answer one request in time; the session goes on. `by` names another tool. */
export class RequestTimeout extends Schema.TaggedError<RequestTimeout>()(
  "RequestTimeout",
  { ...where, command: Schema.String, after_ms: Schema.Int, by: Schema.optionalKey(Schema.String) },
  code("RequestTimeout", "REQUEST_TIMEOUT", 5, 504)
) {
  override get message() {
    return `${this.by ?? "the debugger"} did not answer ${this.command} within ${this.after_ms / 1000} s`
  }
  get hints(): Hint.Hints {
    return this.remedies ?? [Hint.call("status", {})]
  }
}
