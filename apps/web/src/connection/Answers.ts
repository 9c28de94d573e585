/**
 * What the page reads from the server: answers of operations, and lines of the stream. Only types of the contract are imported;
 * its schemas are too large for a page, and the server has checked every answer.
 */
import type { Breakpoint as Breakpoints, Caller, Feed, Frame, Operations, Variable } from "@sigtrap/protocol"

/** The tag of an operation. */
export type Tag = Operations.Tag
/** The input of an operation. */
export type Input<T extends Tag> = Operations.PayloadInput<T>
/** The data of an answer. */
export type Data<T extends Tag> = Operations.Data<T>
/** A line of the stream. */
export type Line = Feed.Line
/** The first line of the stream. */
export type Hello = Extract<Line, { readonly type: "hello" }>
/** An event of a session. */
export type EventLine = Extract<Line, { readonly type: "event" }>
/** Output of a session. */
export type OutputLine = Extract<Line, { readonly type: "output" }>
/** A call that waits for consent. */
export type Question = Extract<Line, { readonly type: "request" }>["request"]
/** The state of a session. */
export type Snapshot = Feed.State
/** An actor: a person, an agent, the debugger or the program. */
export type Actor = Caller.Identity
/** The report of a stop. */
export type Report = Data<"context">
/** A stop in the list of stops. */
export type PastStop = Data<"stops">["stops"][number]
/** A variable of a report, or one inside another. */
export type Value = Variable.Child
/** A frame of a stack. */
export type StackFrame = Frame.Frame
/** A thread in the list of threads. */
export type ThreadRow = Data<"threads">["threads"][number]
/** A debugger on the machine of the daemon. */
export type Debugger = Data<"debuggers">["debuggers"][number]
/** A breakpoint, as `breakpoint list` and events have it. */
export type Breakpoint = Breakpoints.Breakpoint

/** Why a call failed. `tier` is the one that the token lacks. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly details: { readonly [name: string]: unknown }
  /** What can be tried; `operation` is absent unless it is a call. */
  readonly hints?: ReadonlyArray<{ readonly operation?: string }>
}

/** What an answer warns of. */
export interface Warning {
  readonly code: string
  readonly message: string
}

/** The envelope of an answer. */
export interface Answer<D> {
  readonly data: D
  readonly session?: string
  readonly state?: string
  readonly stop?: number
  readonly warnings?: ReadonlyArray<Warning>
  /** The same call as a command line, if the server says it. */
  readonly command?: string
}

/** The answer or the failure of a call. */
export type Outcome<D> =
  | { readonly ok: true; readonly answer: Answer<D> }
  | { readonly ok: false; readonly failure: Failure }
