/**
 * What the manager needs of a debugger, whichever it is: an interface and nothing else.
 *
 * A backend answers in data and reports what happens as events, synchronously and in the order in which it saw them;
 * what the program wrote before a stop or its end comes before that event. It speaks of breakpoints by our numbers. It keeps no session state and decides nothing about sessions.
 */
import type { Errors, Event, Frame, Session, Variable } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Failures of a request to a debugger, one that is no longer there included. */
export type Failure =
  | Errors.ProcessEnded
  | Errors.NotRunning
  | Errors.SessionLost
  | Errors.AdapterError
  | Errors.AdapterCrashed
  | Errors.ProtocolError
  | Errors.RequestTimeout
  | Errors.Unsupported

/** Failures of starting a debugger or a program under it. */
export type LaunchFailure =
  | Failure
  | Errors.AdapterNotFound
  | Errors.AdapterStartFailed
  | Errors.LaunchFailed
  | Errors.Permission

/** A program to start. Paths are absolute; `env` is the program's whole environment. */
export interface Launch {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  readonly stopOnEntry: boolean
  /** File to read as standard input; without it the program's input is ours to write. */
  readonly stdin?: string
  /** Name or path of the adapter, when the caller chose one. */
  readonly adapter?: string
}

/** A breakpoint as it is to be set. `id` is ours. */
export interface Wanted {
  readonly id: number
  readonly line?: number
  readonly column?: number
  readonly function?: string
  readonly condition?: string
}

/** All breakpoints of one source file, or all on functions: debuggers take each of these lists as a whole. */
export type Group = { readonly kind: "source"; readonly path: string } | { readonly kind: "function" }

/** Where a wanted breakpoint was placed. `reason` says why it is not resolved. */
export interface Placement {
  readonly id: number
  readonly resolved: boolean
  readonly locations: ReadonlyArray<Placed>
  readonly reason?: string
}

/** One place of a breakpoint. */
export interface Placed {
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly function?: string
  readonly module?: string
  readonly address?: string
}

/** How to set the program going. */
export type Resume = "continue" | "next" | "step" | "finish"

/** A frame with the debugger's handle of it; handles are good until the next resume. */
export interface StackFrame extends Omit<Frame.Frame, "index" | "ref" | "hidden"> {
  readonly handle: number
}

/** A page of a stack; `total` is absent when the debugger does not know it yet. */
export interface Stack {
  readonly frames: ReadonlyArray<StackFrame>
  readonly total?: number
}

/** A variable with the debugger's handle of its children, 0 when it has none. */
export interface Value extends Omit<Variable.Variable, "ref" | "changed" | "children"> {
  readonly handle: number
}

/** A debugger with its program. Closing the scope it was made in ends it by the ladder, whatever state it is in. */
export interface Connection {
  readonly adapter: Session.Adapter
  /** Sets the list of one group; answers in the order asked. Works before and while the program runs. */
  readonly setBreakpoints: (
    group: Group,
    wanted: ReadonlyArray<Wanted>
  ) => Effect.Effect<ReadonlyArray<Placement>, Failure>
  /** Starts the program after breakpoints were set; once. */
  readonly run: Effect.Effect<void, LaunchFailure>
  readonly resume: (how: Resume, thread: number) => Effect.Effect<void, Failure>
  /** Asks once for a stop; the stop itself is an event. */
  readonly pause: Effect.Effect<void, Failure>
  readonly threads: Effect.Effect<ReadonlyArray<Frame.Thread>, Failure>
  readonly stack: (thread: number, start: number, count: number) => Effect.Effect<Stack, Failure>
  /** Arguments and local variables of a frame, arguments first. */
  readonly locals: (frame: number) => Effect.Effect<ReadonlyArray<Value>, Failure>
  readonly children: (value: number, start: number, count: number) => Effect.Effect<ReadonlyArray<Value>, Failure>
  /** `read` must not change the program. */
  readonly evaluate: (expression: string, frame: number, how: "read" | "any") => Effect.Effect<Value, Failure>
  /** One line for the debugger's own command line. */
  readonly command: (text: string, frame?: number) => Effect.Effect<string, Failure>
  /** Ends the debugger in the order that leaves nothing behind: the program killed, or let go and alive. */
  readonly end: (how: "kill" | "detach") => Effect.Effect<void>
}

/** Takes what a debugger reports; called synchronously, in order, never blocking. */
export interface Listener {
  readonly emit: (event: Event.Event) => void
  /** The debugger's process exists, whatever comes of it. */
  readonly spawned: (pid: number) => void
  /** The debugger placed a breakpoint differently by itself. */
  readonly placed: (placement: Placement) => void
}

/** The service: one kind of debugger driver. */
export class Backend extends Context.Service<
  Backend,
  {
    readonly name: Session.Adapter["backend"]
    /** Starts debugger and program; the program waits to be configured and `run`. */
    readonly launch: (launch: Launch, listener: Listener) => Effect.Effect<Connection, LaunchFailure, Scope.Scope>
  }
>()("@sigtrap/manager/Backend") {}
