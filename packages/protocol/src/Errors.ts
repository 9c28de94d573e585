/**
 * Every error that a caller can receive. There is one class for each situation with its own next step.
 *
 * A class has its code, exit code and HTTP status as annotations (`Errors.meta`) and its details as fields. It computes the
 * message and the hints from them, best hint first. Where an error leaves the manager, `Errors.locate` adds the session and
 * its state, and `HintCompletion` completes the hints.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { LeaseHeld } from "./errors/Control.ts"
import {
  AdapterNotFound,
  VersionTooOld,
  AdapterStartFailed,
  AdapterCrashed,
  SessionLost,
  ProtocolError,
  Internal,
  AccessDenied,
  Permission,
  Policy,
  TierRequired,
  ConsentDenied,
  DaemonUnreachable,
  DaemonVersion
} from "./errors/Environment.ts"
import {
  BreakpointNotFound,
  BreakpointUnresolved,
  ThreadNotFound,
  FrameNotFound,
  VariableNotFound,
  SymbolNotFound,
  SourceNotFound,
  StopNotFound,
  StaleReference,
  ProgramNotFound,
  Unsupported,
  GrantNotFound,
  RequestNotFound,
  TestNotFound
} from "./errors/NotFound.ts"
import {
  AdapterError,
  AnswerTooLarge,
  EvaluationFailed,
  SideEffects,
  AssertionFailed,
  LaunchFailed,
  Usage,
  InvalidConfig,
  InvalidLocation
} from "./errors/Request.ts"
import {
  Busy,
  NoSession,
  SessionNotFound,
  AmbiguousSession,
  SessionExists,
  NotStopped,
  NotRunning,
  ProcessEnded,
  InvalidState,
  StaleStop,
  WaitTimeout,
  RequestTimeout
} from "./errors/State.ts"
import { NeverWritten, NotReproduced, WatchUnavailable } from "./errors/Reexecution.ts"
import { AttachFailed, ProcessNotFound } from "./errors/Target.ts"
import { FileExists, FileNotWritten } from "./errors/Files.ts"
import { DeviceNotFound, Platform, ToolMissing } from "./errors/Simulator.ts"
import { meta } from "./errors/Base.ts"
import type { SessionState } from "./model/Session.ts"

export { exitOf, meta, type Meta } from "./errors/Base.ts"
export * from "./errors/Control.ts"
export * from "./errors/Environment.ts"
export * from "./errors/Files.ts"
export * from "./errors/NotFound.ts"
export * from "./errors/Reexecution.ts"
export * from "./errors/Request.ts"
export * from "./errors/Simulator.ts"
export * from "./errors/State.ts"
export * from "./errors/Target.ts"

/** Errors of any operation on a session. */
export const common = [
  ProcessEnded,
  NotRunning,
  AdapterCrashed,
  SessionLost,
  ProtocolError,
  RequestTimeout,
  AdapterError,
  Unsupported,
  Policy,
  TierRequired,
  ConsentDenied,
  LeaseHeld,
  Internal
] as const

/** Errors of the connection to the daemon; a surface adds them to every operation. */
export const transport = [DaemonUnreachable, DaemonVersion] as const

/** Errors of the limits on messages and requests, which the daemon checks for every operation. */
export const limits = [Busy, AnswerTooLarge, Usage] as const

/** Errors of writing a file that the caller named. */
export const writing = [FileExists, FileNotWritten] as const

/** Errors of finding the session to act on. */
export const selection: ReadonlyArray<SelectionError> = [NoSession, SessionNotFound, AmbiguousSession]

/** The class of an error of selecting a session. */
export type SelectionError = typeof NoSession | typeof SessionNotFound | typeof AmbiguousSession

/** Every class, for surfaces and documents that list them. */
export const all = [
  AdapterError,
  EvaluationFailed,
  SideEffects,
  AssertionFailed,
  LaunchFailed,
  AnswerTooLarge,
  Usage,
  InvalidConfig,
  InvalidLocation,
  Busy,
  NoSession,
  SessionNotFound,
  AmbiguousSession,
  SessionExists,
  NotStopped,
  NotRunning,
  ProcessEnded,
  InvalidState,
  StaleStop,
  WaitTimeout,
  RequestTimeout,
  BreakpointNotFound,
  BreakpointUnresolved,
  ThreadNotFound,
  FrameNotFound,
  VariableNotFound,
  SymbolNotFound,
  SourceNotFound,
  StopNotFound,
  NotReproduced,
  NeverWritten,
  WatchUnavailable,
  StaleReference,
  ProgramNotFound,
  FileExists,
  GrantNotFound,
  RequestNotFound,
  TestNotFound,
  Unsupported,
  AdapterNotFound,
  VersionTooOld,
  AdapterStartFailed,
  AdapterCrashed,
  SessionLost,
  ProtocolError,
  Internal,
  AccessDenied,
  Permission,
  FileNotWritten,
  Policy,
  TierRequired,
  ConsentDenied,
  LeaseHeld,
  ProcessNotFound,
  AttachFailed,
  Platform,
  ToolMissing,
  DeviceNotFound,
  DaemonUnreachable,
  DaemonVersion
] as const

/** Any error of an operation. */
export const SigtrapError: Schema.Union<typeof all> = Schema.Union(all)
/** Any error of an operation. */
export type SigtrapError = typeof SigtrapError.Type

/** Returns true if a value is an error of an operation. */
export const isSigtrapError: (value: unknown) => value is SigtrapError = Schema.is(SigtrapError)

/** Returns the tag of an error class in an operation's list of errors. */
export const tagOf = (error: Schema.Top): string => ("identifier" in error ? String(error.identifier) : "Internal")

/** Lists the texts in a field; words of the schema of an effect are left out. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (Predicate.isString(value)) return value === "" ? [] : [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (!Predicate.isReadonlyObject(value)) return []
  const { effect: _, field: __, tier: ___, ...rest } = value
  return Object.values(rest).flatMap(textsIn)
}

/** Returns the texts of an error that can come from the program, the debugger or a file of the project. */
export const foreignTexts = (error: SigtrapError): ReadonlyArray<string> => {
  const { foreign } = meta(error)
  return Object.entries(error).flatMap(([field, value]) => (foreign.includes(field) ? textsIn(value) : []))
}

/** Adds the session and its state to an error that does not name them yet. */
export const locate = <E extends SigtrapError>(
  error: E,
  at: { readonly session: string; readonly state: SessionState }
): E => Object.assign(error, { session: error.session ?? at.session, state: error.state ?? at.state })
