/**
 * A stopped program as a backend describes it: threads, frames and values with the debugger's handles, and the failures
 * of asking for them.
 */
import type { Errors, Frame, Variable } from "@sigtrap/protocol"

/** Failures of a request to a debugger, including one that has ended. */
export type Failure =
  | Errors.ProcessEnded
  | Errors.NotRunning
  | Errors.SessionLost
  | Errors.AdapterError
  | Errors.AdapterCrashed
  | Errors.ProtocolError
  | Errors.RequestTimeout
  | Errors.Unsupported

/** A thread. `running` is true if it runs although the program counts as stopped. */
export interface Thread extends Frame.Thread {
  readonly running?: boolean
}

/** A frame with the debugger's handle for it. Handles are valid until the next resume. */
export interface StackFrame extends Omit<Frame.Frame, "index" | "ref" | "hidden"> {
  readonly handle: number
  /** Identifies one activation of the function, if the debugger reports it. Of an unlisted frame it is the stack pointer. */
  readonly activation?: string
}

/**
 * A page of a stack. `total` is absent while the debugger does not know the depth. `cut` is true if the page has the last
 * frame, and the debugger may have missed callers of that frame.
 */
export interface Stack {
  readonly frames: ReadonlyArray<StackFrame>
  readonly total?: number
  readonly cut?: boolean
}

/** A variable with the debugger's handle for its children, 0 without children. */
export interface Value extends Omit<Variable.Variable, "ref" | "changed" | "children"> {
  readonly handle: number
  /** Identifies a local variable among those of its function, if the debugger tells: two blocks can declare one name. */
  readonly declaration?: string
}

/** The type and message of an exception, and where it was raised. */
export interface RaisedException {
  readonly text: string
  readonly function?: string
  readonly file?: string
  readonly line?: number
  /** True if the exception before names this one as its cause. */
  readonly isCause?: boolean
  /** Number of exceptions that a long list leaves out at this entry. */
  readonly omitted?: number
}

/** The exception or signal at which a thread stopped (DAP `exceptionInfo`). */
export interface ExceptionDetails {
  readonly id: string
  readonly text?: string
  readonly type?: string
  readonly message?: string
  /** It was raised in a frame below and reported there. */
  readonly passes?: boolean
  /** The exceptions in a group, at most 8. */
  readonly members?: ReadonlyArray<RaisedException>
  /** The values that it names as its cause, each the cause of the one before, at most 8. */
  readonly causedBy?: ReadonlyArray<RaisedException>
}
