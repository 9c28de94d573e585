/**
 * Every error a caller can meet, one class for each situation that calls for a different next step.
 *
 * Each class carries its stable code, exit code and HTTP status as annotations (`Errors.meta`), its facts as fields,
 * and computes from them a sentence and a hint: a command that can be run as it stands. The session and its state are
 * added where the error leaves the manager (`Errors.locate`), so that nobody below has to know them.
 */
import * as Schema from "effect/Schema"
import { SessionState } from "./Session.ts"

/** The facts about an error class that every surface maps in its own way. */
export interface Meta {
  /** Stable, upper case; never changes its meaning. */
  readonly code: string
  /** Exit code of the command line, 1-11. */
  readonly exit: number
  /** HTTP status, 400-599. */
  readonly httpApiStatus: number
}

const catalogue = new Map<string, Meta>()

const code = (tag: string, code: string, exit: number, httpApiStatus: number) => {
  catalogue.set(tag, { code, exit, httpApiStatus })
  return { httpApiStatus, "sigtrap/code": code, "sigtrap/exit": exit }
}

const where = {
  session: Schema.optionalKey(Schema.String),
  state: Schema.optionalKey(SessionState)
}

const Strings = Schema.Array(Schema.String)
const nearest = (near: ReadonlyArray<string>) => (near.length === 0 ? "" : `; nearest: ${near.join(", ")}`)
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A process's end, as later answers repeat it. */
const ending = (end: { readonly exit_code?: number | undefined; readonly signal?: string | undefined }) =>
  end.signal !== undefined
    ? `ended by ${end.signal}`
    : end.exit_code !== undefined
      ? `exited ${end.exit_code}`
      : "ended"

// 1: the operation failed

/** The adapter refused a request; its words are kept (DAP: response with `success: false`). */
export class AdapterError extends Schema.TaggedError<AdapterError>()(
  "AdapterError",
  { ...where, command: Schema.String, detail: Schema.String },
  code("AdapterError", "ADAPTER_ERROR", 1, 502)
) {
  override get message() {
    return `the debugger refused ${this.command}: ${this.detail}`
  }
  get hint() {
    return "sigtrap status"
  }
}

/** An expression could not be evaluated in the selected frame (DAP `evaluate`). */
export class EvaluationFailed extends Schema.TaggedError<EvaluationFailed>()(
  "EvaluationFailed",
  { ...where, expression: Schema.String, detail: Schema.String },
  code("EvaluationFailed", "EVALUATION_FAILED", 1, 422)
) {
  override get message() {
    return `cannot evaluate ${quoted(this.expression)}: ${this.detail}`
  }
  get hint() {
    return "sigtrap locals"
  }
}

/** `print` was given an expression that may change the program. */
export class SideEffects extends Schema.TaggedError<SideEffects>()(
  "SideEffects",
  { ...where, expression: Schema.String },
  code("SideEffects", "EVALUATION_FAILED", 1, 422)
) {
  override get message() {
    return `${quoted(this.expression)} may change the program; print only reads`
  }
  get hint() {
    return `sigtrap eval ${quoted(this.expression)}`
  }
}

/** The program could not be started (DAP `launch`). `log` holds the adapter's last lines. */
export class LaunchFailed extends Schema.TaggedError<LaunchFailed>()(
  "LaunchFailed",
  { ...where, program: Schema.String, detail: Schema.String, log: Schema.optionalKey(Schema.String) },
  code("LaunchFailed", "LAUNCH_FAILED", 1, 502)
) {
  override get message() {
    return `cannot start ${this.program}: ${this.detail}`
  }
  get hint() {
    return `file ${quoted(this.program)}`
  }
}

// 2: wrong usage

/** The request itself is wrong: an unknown command or option, a missing or malformed value. */
export class Usage extends Schema.TaggedError<Usage>()(
  "Usage",
  { ...where, problem: Schema.String, near: Strings, help: Schema.String },
  code("Usage", "USAGE", 2, 400)
) {
  override get message() {
    return `${this.problem}${nearest(this.near)}`
  }
  get hint() {
    return this.help
  }
}

/** A location does not follow the grammar of `Location`. */
export class InvalidLocation extends Schema.TaggedError<InvalidLocation>()(
  "InvalidLocation",
  { ...where, text: Schema.String, problem: Schema.String },
  code("InvalidLocation", "INVALID_LOCATION", 2, 400)
) {
  override get message() {
    return `${quoted(this.text)} is not a location: ${this.problem}`
  }
  get hint() {
    return "sigtrap break --help"
  }
}

// 3: no such session

/** There is no session at all. */
export class NoSession extends Schema.TaggedError<NoSession>()(
  "NoSession",
  { ...where },
  code("NoSession", "NO_SESSION", 3, 404)
) {
  override get message() {
    return "no session: nothing is being debugged"
  }
  get hint() {
    return "sigtrap start PROGRAM -b FILE:LINE"
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
  get hint() {
    return "sigtrap sessions"
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
  get hint() {
    return `sigtrap status --session ${this.names[0] ?? "NAME"}`
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
  get hint() {
    return `sigtrap stop ${this.name}`
  }
}

// 4: wrong state

/** The operation reads a stopped program, and this one is not stopped. */
export class NotStopped extends Schema.TaggedError<NotStopped>()(
  "NotStopped",
  { ...where },
  code("NotStopped", "NOT_STOPPED", 4, 409)
) {
  override get message() {
    return `the program is ${this.state ?? "not stopped"}; this needs a stopped program`
  }
  get hint() {
    return "sigtrap pause"
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
  get hint() {
    return "sigtrap status"
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
  get hint() {
    return "sigtrap output"
  }
}

/** The session is in no state for this; `problem` says why. */
export class InvalidState extends Schema.TaggedError<InvalidState>()(
  "InvalidState",
  { ...where, problem: Schema.String },
  code("InvalidState", "INVALID_STATE", 4, 409)
) {
  override get message() {
    return this.problem
  }
  get hint() {
    return "sigtrap status"
  }
}

// 5: time is up, nothing is lost

/** No stop came within the wait; the program goes on. The one error that carries data. */
export class WaitTimeout extends Schema.TaggedError<WaitTimeout>()(
  "WaitTimeout",
  { ...where, waited_ms: Schema.Int, output_bytes: Schema.Int, output_tail: Schema.optionalKey(Schema.String) },
  code("WaitTimeout", "WAIT_TIMEOUT", 5, 504)
) {
  override get message() {
    return `running (waited ${this.waited_ms / 1000} s)`
  }
  get hint() {
    return "sigtrap wait"
  }
}

/** The adapter did not answer one request in time; the session goes on. */
export class RequestTimeout extends Schema.TaggedError<RequestTimeout>()(
  "RequestTimeout",
  { ...where, command: Schema.String, after_ms: Schema.Int },
  code("RequestTimeout", "REQUEST_TIMEOUT", 5, 504)
) {
  override get message() {
    return `the debugger did not answer ${this.command} within ${this.after_ms / 1000} s`
  }
  get hint() {
    return "sigtrap status"
  }
}

// 6: no such thing

/** No breakpoint has one of these numbers; none of the others was touched. */
export class BreakpointNotFound extends Schema.TaggedError<BreakpointNotFound>()(
  "BreakpointNotFound",
  { ...where, ids: Schema.Array(Schema.Int), known: Schema.Array(Schema.Int) },
  code("BreakpointNotFound", "BREAKPOINT_NOT_FOUND", 6, 404)
) {
  override get message() {
    return `no breakpoint ${this.ids.join(", ")}; ${this.known.length === 0 ? "none are set" : `there are: ${this.known.join(", ")}`}`
  }
  get hint() {
    return "sigtrap breakpoint list"
  }
}

/** A breakpoint binds nowhere; nothing was created. */
export class BreakpointUnresolved extends Schema.TaggedError<BreakpointUnresolved>()(
  "BreakpointUnresolved",
  { ...where, location: Schema.String, reason: Schema.String, near: Strings },
  code("BreakpointUnresolved", "BREAKPOINT_UNRESOLVED", 6, 422)
) {
  override get message() {
    return `breakpoint not resolved: ${this.location} (${this.reason})${nearest(this.near)}`
  }
  get hint() {
    return `sigtrap break ${quoted(this.location)} --pending`
  }
}

/** No thread has that id. */
export class ThreadNotFound extends Schema.TaggedError<ThreadNotFound>()(
  "ThreadNotFound",
  { ...where, id: Schema.Int, known: Schema.Array(Schema.Int) },
  code("ThreadNotFound", "THREAD_NOT_FOUND", 6, 404)
) {
  override get message() {
    return `no thread ${this.id}; there are: ${this.known.join(", ")}`
  }
  get hint() {
    return "sigtrap backtrace"
  }
}

/** The stack has no such frame. */
export class FrameNotFound extends Schema.TaggedError<FrameNotFound>()(
  "FrameNotFound",
  { ...where, index: Schema.Int, count: Schema.Int },
  code("FrameNotFound", "FRAME_NOT_FOUND", 6, 404)
) {
  override get message() {
    return `no frame ${this.index}; the stack has ${this.count}`
  }
  get hint() {
    return "sigtrap backtrace"
  }
}

/** No variable of that name is visible in the frame. */
export class VariableNotFound extends Schema.TaggedError<VariableNotFound>()(
  "VariableNotFound",
  { ...where, name: Schema.String, near: Strings },
  code("VariableNotFound", "VARIABLE_NOT_FOUND", 6, 404)
) {
  override get message() {
    return `no variable ${quoted(this.name)} here${nearest(this.near)}`
  }
  get hint() {
    return "sigtrap locals"
  }
}

/** A reference belongs to an earlier stop. */
export class StaleReference extends Schema.TaggedError<StaleReference>()(
  "StaleReference",
  { ...where, ref: Schema.String, expression: Schema.optionalKey(Schema.String) },
  code("StaleReference", "STALE_REF", 6, 410)
) {
  override get message() {
    return this.expression === undefined
      ? `${this.ref} stands for nothing at this stop`
      : `${this.ref} belongs to an earlier stop; it stood for ${quoted(this.expression)}`
  }
  get hint() {
    return this.expression === undefined ? "sigtrap locals" : `sigtrap print ${quoted(this.expression)}`
  }
}

/** The program to debug is not there, or is no regular file. */
export class ProgramNotFound extends Schema.TaggedError<ProgramNotFound>()(
  "ProgramNotFound",
  { ...where, path: Schema.String, problem: Schema.String },
  code("ProgramNotFound", "PROGRAM_NOT_FOUND", 6, 404)
) {
  override get message() {
    return `cannot debug ${this.path}: ${this.problem}`
  }
  get hint() {
    return "sigtrap start --help"
  }
}

// 7: not supported

/** Neither the adapter nor the manager can do this here. */
export class Unsupported extends Schema.TaggedError<Unsupported>()(
  "Unsupported",
  { ...where, what: Schema.String, by: Schema.String, remedy: Schema.String },
  code("Unsupported", "UNSUPPORTED", 7, 501)
) {
  override get message() {
    return `${this.by} does not support ${this.what}`
  }
  get hint() {
    return this.remedy
  }
}

// 8: environment

/** No such debugger on this machine; `looked` lists every place. */
export class AdapterNotFound extends Schema.TaggedError<AdapterNotFound>()(
  "AdapterNotFound",
  { ...where, adapter: Schema.String, looked: Strings, remedy: Schema.String },
  code("AdapterNotFound", "ADAPTER_NOT_FOUND", 8, 424)
) {
  override get message() {
    return `no ${this.adapter} found; looked at: ${this.looked.join(", ")}`
  }
  get hint() {
    return this.remedy
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
  get hint() {
    return `${quoted(this.adapter)} --help`
  }
}

// 9: the debugger itself broke

/** The adapter's process is gone; so is the program, when it was ours. */
export class AdapterCrashed extends Schema.TaggedError<AdapterCrashed>()(
  "AdapterCrashed",
  { ...where, detail: Schema.String, log: Schema.optionalKey(Schema.String) },
  code("AdapterCrashed", "ADAPTER_CRASHED", 9, 502)
) {
  override get message() {
    return `the debugger died: ${this.detail}`
  }
  get hint() {
    return "sigtrap start PROGRAM --replace"
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
  get hint() {
    return "sigtrap start PROGRAM --replace"
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
  get hint() {
    return "sigtrap status"
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
  get hint() {
    return "sigtrap daemon restart"
  }
}

// 10: not allowed

/** The operating system or a policy forbids it. */
export class Permission extends Schema.TaggedError<Permission>()(
  "Permission",
  { ...where, detail: Schema.String, remedy: Schema.String },
  code("Permission", "PERMISSION", 10, 403)
) {
  override get message() {
    return `not permitted: ${this.detail}`
  }
  get hint() {
    return this.remedy
  }
}

// 11: daemon

/** No daemon answers and none could be started. */
export class DaemonUnreachable extends Schema.TaggedError<DaemonUnreachable>()(
  "DaemonUnreachable",
  { ...where, detail: Schema.String, remedy: Schema.String },
  code("DaemonUnreachable", "DAEMON_UNREACHABLE", 11, 503)
) {
  override get message() {
    return `the daemon cannot be reached: ${this.detail}`
  }
  get hint() {
    return this.remedy
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
  get hint() {
    return "sigtrap daemon restart"
  }
}

/** Errors that any operation on a session can meet, whatever it does. */
export const common = [
  ProcessEnded,
  NotRunning,
  AdapterCrashed,
  SessionLost,
  ProtocolError,
  RequestTimeout,
  AdapterError,
  Unsupported,
  Internal
] as const

/** Errors of the way to the daemon; a surface adds them to every operation. */
export const transport = [DaemonUnreachable, DaemonVersion] as const

/** Errors of finding the session to act on. */
export const selection = [NoSession, SessionNotFound, AmbiguousSession] as const

/** Every class, for surfaces and documents that go through all of them. */
export const all = [
  AdapterError,
  EvaluationFailed,
  SideEffects,
  LaunchFailed,
  Usage,
  InvalidLocation,
  NoSession,
  SessionNotFound,
  AmbiguousSession,
  SessionExists,
  NotStopped,
  NotRunning,
  ProcessEnded,
  InvalidState,
  WaitTimeout,
  RequestTimeout,
  BreakpointNotFound,
  BreakpointUnresolved,
  ThreadNotFound,
  FrameNotFound,
  VariableNotFound,
  StaleReference,
  ProgramNotFound,
  Unsupported,
  AdapterNotFound,
  AdapterStartFailed,
  AdapterCrashed,
  SessionLost,
  ProtocolError,
  Internal,
  Permission,
  DaemonUnreachable,
  DaemonVersion
] as const

/** Any error of the contract. */
export const SigtrapError = Schema.Union(all)
/** Any error of the contract. */
export type SigtrapError = typeof SigtrapError.Type

/** Whether a value is an error of the contract. */
export const isSigtrapError: (value: unknown) => value is SigtrapError = Schema.is(SigtrapError)

/** Code, exit code and HTTP status of an error or an error class's tag. */
export const meta = (error: { readonly _tag: string }): Meta =>
  catalogue.get(error._tag) ?? { code: "INTERNAL", exit: 9, httpApiStatus: 500 }

/** The tag of an error class, as it stands in an operation's list of errors. */
export const tagOf = (error: Schema.Top): string => ("identifier" in error ? String(error.identifier) : "Internal")

/** Adds the session and its state to an error that does not name them yet. */
export const locate = <E extends SigtrapError>(
  error: E,
  at: { readonly session: string; readonly state: SessionState }
): E => Object.assign(error, { session: error.session ?? at.session, state: error.state ?? at.state })
