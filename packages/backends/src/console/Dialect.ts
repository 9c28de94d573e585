/**
 * The interface to the command line of the debugger inside an adapter, for questions and settings that DAP has no request
 * for.
 *
 * An adapter has one `Dialect`, and a connection has one `CommandLine`. An adapter without a dialect gets DAP requests only.
 */
import type { Client, Errors as Dap } from "@sigtrap/dap"
import type { Backend, Inspection, PathRecorder, Reexecution, Tracer } from "@sigtrap/manager"
import type { Event } from "@sigtrap/protocol"
import type * as Effect from "effect/Effect"
import type { BreakpointIds } from "./BreakpointIds.ts"

/** What the command line gets from its connection. */
export interface Connection {
  readonly client: Client.Client
  readonly major: number
  readonly ids: BreakpointIds
  /** Numbers of watchpoints; debuggers number them separately from breakpoints. */
  readonly watchIds: BreakpointIds
  /** Runs a request that may call functions of the program. */
  readonly calling: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  /** Runs a command and returns what it printed, also if it failed. `millis` is the timeout of the request. */
  readonly text: (command: string, frame?: number, millis?: number) => Effect.Effect<string, Backend.Failure>
  /** Receives the hits of logpoints that the debugger recorded. */
  readonly listener: Pick<Backend.Listener, "logged">
  /** Reports that a breakpoint was bound again. */
  readonly placed: (placement: Backend.Placement) => void
  /** The loaded modules (DAP `modules`). */
  readonly modules: Effect.Effect<ReadonlyArray<Inspection.Module>, Backend.Failure>
  /** The signal and the text of the latest stop. */
  readonly lastStop: () => { readonly signal?: string | undefined; readonly text?: string | undefined }
}

type Set = (
  wanted: ReadonlyArray<Backend.BreakpointRequest>
) => Effect.Effect<ReadonlyArray<Backend.Placement>, Backend.Failure>

/** Where a breakpoint is bound, and what the adapter cannot do for it there. */
export interface Bound extends Pick<Backend.Placement, "unsupported"> {
  readonly locations: ReadonlyArray<Backend.BreakpointLocation>
  /** Why the condition cannot be evaluated; the debugger does not stop there then. */
  readonly refused?: string
}

/** A breakpoint that the adapter has set, with the debugger's number. */
interface BindRequest {
  readonly wanted: Backend.BreakpointRequest
  readonly debuggerId: number
  /** False if the adapter's answer and its events say nothing new. */
  readonly changed: boolean
}

/** Breakpoints on a debugger's command line. */
export interface Breakpoints {
  /** Sets the list of patterns, addresses and functions of one file or module. */
  readonly special: Set
  /** Sets the breakpoints of a file or of functions for which an adapter has no room, as it takes one per place. */
  readonly repeated?: (group: Backend.Group, wanted: ReadonlyArray<Backend.BreakpointRequest>) => ReturnType<Set>
  /** Adds breakpoints to those that `repeated` sets; absent if a command costs as much as a list. */
  readonly addRepeated?: (group: Backend.Group, added: ReadonlyArray<Backend.BreakpointRequest>) => ReturnType<Set>
  /** True if a command sets a breakpoint at a line of a file faster than a list; absent if never. */
  readonly isQuick?: (file: string) => boolean
  /** Sets the list of watchpoints. */
  readonly watch: Set
  /** Prepares watchpoints for a resume; absent if the debugger needs no preparation. */
  readonly resuming?: (how: Backend.Resume) => Effect.Effect<void>
  /** Lines of a file that have code; none if the debugger does not know the file. */
  readonly lines: (file: string) => Effect.Effect<ReadonlyArray<Backend.BreakpointLocation>, Backend.Failure>
  /**
   * Returns every location of breakpoints, in the order of the requests, and moves locations that the debugger bound wrong.
   * No location while the debugger cannot answer.
   */
  readonly bind: (requests: ReadonlyArray<BindRequest>) => Effect.Effect<ReadonlyArray<Bound>, Backend.Failure>
  /**
   * Remembers a breakpoint for which the adapter has no location yet, for libraries that are loaded later. Returns locations that the
   * adapter does not find; absent if that is not needed.
   */
  readonly track?: (wanted: Backend.BreakpointRequest, debuggerId: number) => Effect.Effect<Bound, Backend.Failure>
  /** Removes what `bind` added for a breakpoint; absent if it adds nothing. */
  readonly release?: (id: number) => Effect.Effect<void, Backend.Failure>
  /**
   * Prepares breakpoints on functions of these names. Returns the names on which no breakpoint can be set now. Absent if
   * functions need no preparation.
   */
  readonly prepare?: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, Backend.Failure>
  /** Why no breakpoint can be set on a function that `prepare` returned. */
  readonly unprepared?: string
  /**
   * Returns a request for how often the program passed the places of breakpoints with a condition or a count, by the manager's
   * numbers. Undefined if there are none; absent if the debugger does not count them.
   */
  readonly passes?: () =>
    | Effect.Effect<ReadonlyArray<{ readonly id: number; readonly count: number }>, Backend.Failure>
    | undefined
  /**
   * Returns a request for the children that the program forked, as far as the debugger remembers them; they ran without
   * breakpoints unless the debugger `follows` them. Undefined if it follows none and there is no breakpoint; absent if the debugger
   * cannot tell.
   */
  readonly children?: (follows: boolean) => Effect.Effect<ReadonlyArray<number>, Backend.Failure> | undefined
  /** Why a line has no breakpoint. */
  readonly whyNoLine: (file: string, line: number) => Effect.Effect<string, Backend.Failure>
}

/** Locals and expressions without values that the debugger computes wrongly. */
export interface CorrectedValues extends Pick<Backend.Connection, "locals" | "evaluate"> {
  /** Forgets the frames of this stop; called when the program resumes. */
  readonly forget: () => void
}

/** Values whose memory was read. Evaluating or opening others fails. */
export type ReadableValues = Pick<Backend.Connection, "locals" | "children" | "evaluate">

/** The requests for values with true expressions. */
export interface NamedValues extends ReadableValues {
  /** Remembers values that were read by another request. */
  readonly seen: (values: ReadonlyArray<Backend.Value>, frame: number) => ReadonlyArray<Backend.Value>
  /** Forgets the values; called when the program resumes. */
  readonly forget: () => void
}

/**
 * What an expression means: the path of an element of a container, an expression that the debugger can compile in the frame that is
 * `callers` frames further out, or a value.
 */
export type Found =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "expression"; readonly expression: string; readonly callers: number }
  | { readonly kind: "value"; readonly value: Backend.Value }

/** Steps that end where the program catches an exception, or where `longjmp` continues. */
export interface StepEnds {
  /** Prepares a resume of a thread. `frame` is the handle of the frame that a `finish` leaves, if not the innermost one. */
  readonly resuming: (how: Backend.Resume, thread: number, frame?: number) => Effect.Effect<void>
  /**
   * Returns a request for the reason of a stop at these breakpoints of the debugger; the request answers undefined if the stop is not the
   * end of such a step. Returns undefined if there is nothing to ask.
   */
  readonly landed: (numbers: ReadonlyArray<number>) => Effect.Effect<string | undefined> | undefined
}

/**
 * Corrections at the beginning of a function, where the arguments are not in the frame yet, and of breakpoints in libraries
 * that the program loads.
 */
export interface Prologues {
  /** True for a stop at which libraries were loaded; it has the breakpoints or the text. */
  readonly isLibraryStop: (numbers: ReadonlyArray<number>, text: string | undefined) => boolean
  /** Binds breakpoints in libraries that were loaded. Returns false if another thread stopped for a reason of its own. */
  readonly loaded: Effect.Effect<boolean, Backend.Failure>
  /**
   * Resumes the thread of a finished step if it is before the body of a function. Returns false if the step ended where it
   * should, or if another thread has stopped too.
   */
  readonly completeStep: (thread: number) => Effect.Effect<boolean, Backend.Failure>
  /** Records the frames that a stack request returned, and returns them. */
  readonly seen: (stack: Backend.Stack) => Backend.Stack
  /** Returns the address of a recorded frame that called nothing. */
  readonly addressOf: (frame: number) => string | undefined
  /** Forgets the frames; called when the program resumes. */
  readonly forget: () => void
  /** Replaces the values of arguments that are not set up in a frame, and refuses expressions that read them. */
  readonly corrected: (values: CorrectedValues) => CorrectedValues
}

/** The requests that the command line answers in place of DAP requests. */
export type Answers = Partial<Omit<Inspection.Inspection, "globals" | "registers" | "modules" | "source">>

/** A resume other than a step by instruction. */
export type Resume = Exclude<Backend.Resume, "stepi" | "nexti">

/** The command line of one connection. */
export interface CommandLine {
  readonly breakpoints: Breakpoints
  /** Absent if the debugger needs no correction. */
  readonly prologues?: Prologues
  readonly answers: Answers
  /** What running the program again needs; absent if the debugger cannot. */
  readonly reexecution?: Reexecution.Reexecution
  /** Ends steps where the program catches an exception or `longjmp` continues; absent if the debugger does. */
  readonly stepEnds?: StepEnds
  /** Prepares the stopped program for a resume; absent if the debugger needs no preparation. */
  readonly beforeResume?: (how: Backend.Resume, thread: number) => Effect.Effect<void>
  /** The breakpoints that the debugger passes when it resumes; absent if it stops there. */
  readonly dueBreakpoints?: NonNullable<Backend.Connection["dueBreakpoints"]>
  /** Returns the breakpoints at which a thread stops that got a signal because breakpoints were changed. */
  readonly breakpointsAtSignal?: NonNullable<Backend.Connection["breakpointsAtSignal"]>
  /** True if a breakpoint can stop only for exceptions of C++ that a test framework catches. */
  readonly knowsEscaping?: boolean
  /** True if a stop can name breakpoints whose conditions are false. */
  readonly namesFalseConditions?: boolean
  /** The names that mean nothing where a breakpoint is; absent if the debugger cannot tell. */
  readonly unknownNames?: NonNullable<Backend.Connection["unknownNames"]>
  /** The instruction at a frame. */
  readonly instruction: Backend.Connection["instruction"]
  /** The return value after `finish`; absent if the adapter shows it as a scope of the frame. */
  readonly returned?: Backend.Connection["returned"]
  /** Steps one instruction, for adapters that do not support `granularity` (DAP). */
  readonly stepInstruction?: (how: "stepi" | "nexti", thread: number) => Effect.Effect<void, Backend.Failure>
  /** A page of a stack; undefined if `stackTrace` (DAP) has to be used. */
  readonly stack?: (
    thread: number,
    start: number,
    count: number
  ) => Effect.Effect<Backend.Stack | undefined, Backend.Failure>
  /**
   * Records hits inside the debugger; `keep` fetches the records before the program's end is reported, `stopping` reports those
   * of logpoints, and completes the work of `beforeStop`, before a stop is reported. Absent if it cannot.
   */
  readonly tracer?: Tracer.Tracer & {
    readonly keep: () => Effect.Effect<void> | undefined
    readonly stopping: () => Effect.Effect<void> | undefined
  }
  /**
   * Writes a line without quotes to the output on which the debugger reports conditions that it could not evaluate. Fails if it
   * cannot. Absent if the reports come before their stops.
   */
  readonly writeError?: (line: string) => Effect.Effect<void, Backend.Failure>
  /** Records the path of a program; `keep` fetches the record before its end is reported. Absent if the debugger cannot. */
  readonly paths?: PathRecorder.PathRecorder & { readonly keep: () => Effect.Effect<void> | undefined }
  /** The operating system's id of each thread, by the adapter's id; absent if both are the same. */
  readonly systemThreads?: Effect.Effect<ReadonlyMap<number, number>, Backend.Failure>
  /** Resets settings of the debugger that were changed for its answers; run before a command of the user. */
  readonly restored?: Effect.Effect<void, Backend.Failure>
  /** The thread and the frame that a command selected; absent if the debugger cannot tell. */
  readonly selectedBy?: NonNullable<Backend.Connection["selectedBy"]>
  /** Runs a command that evaluates an expression in a frame, with a timeout. Fails if the command fails. */
  readonly evaluate?: (line: string, frame: number, millis: number) => Effect.Effect<string, Backend.Failure>
  /** Evaluates an assignment, and fails where it would call a function of the program; absent if `evaluate` can. */
  readonly assign?: (expression: string, frame: number) => Effect.Effect<void, Backend.Failure>
  /**
   * Finds what an expression over containers means, without running code of the program. Undefined for other expressions.
   * Absent if the debugger cannot.
   */
  readonly find?: (expression: string, frame: number) => Effect.Effect<Found | undefined, Backend.Failure>
  /**
   * Returns the value of an expression that the debugger must not compile, or fails with the reason. Undefined if it may. Absent if the
   * debugger compiles all.
   */
  readonly compiled?: (expression: string, frame: number) => Effect.Effect<Found | undefined, Backend.Failure>
  /** The exception or signal of the latest stop; absent if `exceptionInfo` (DAP) is used. */
  readonly exception?: Effect.Effect<Backend.ExceptionDetails, Backend.Failure>
  /** Resumes one thread alone, for adapters that do not support `singleThread` (DAP). */
  readonly resumeThread?: (how: Resume, thread: number) => Effect.Effect<void, Backend.Failure>
  /** Leaves the function of a frame, with the other threads stopped if `only` is set; absent if the debugger cannot. */
  readonly finishFrame?: (frame: number, only: boolean) => Effect.Effect<void, Backend.Failure>
  /** Runs `resume` with steps that enter functions without debug information, or skip them if `enter` is false. */
  readonly resumeEntering: (
    enter: boolean,
    resume: Effect.Effect<void, Backend.Failure>
  ) => Effect.Effect<void, Backend.Failure>
  /** Replaces values that the debugger computes wrongly by the reason; absent if no such value is known. */
  readonly corrected?: (values: Pick<Backend.Connection, "locals" | "evaluate">) => CorrectedValues
  /** Says which values could not be read; absent if the debugger reports them. */
  readonly readable?: (values: ReadableValues) => ReadableValues
  /** Completes values that no request for values answered, such as globals; absent if the debugger does. */
  readonly completed?: (
    children: Backend.Connection["children"]
  ) => (values: ReadonlyArray<Backend.Value>) => Effect.Effect<ReadonlyArray<Backend.Value>, Backend.Failure>
  /** Gives members the expressions that evaluate to them; absent if the adapter does. */
  readonly named?: (values: ReadableValues) => NamedValues
  /** Discards a step that another stop interrupted; absent if the debugger discards it by itself. */
  readonly discardStep?: Effect.Effect<void>
}

/** The signal of a stop, with the address that faulted. */
export interface Signal {
  readonly name: string
  readonly address?: string
}

/** How commands are sent to one kind of debugger. */
export interface Dialect {
  /** The `expression` of an `evaluate` request (context `repl`) that runs a command. */
  readonly expression: (command: string) => string
  /** True if a command waits for a terminal, runs a shell or ends the debugger; such commands are refused. */
  readonly interactive: (command: string) => boolean
  /** Selects the frame in which commands run, for adapters that ignore the `frameId` of `evaluate` (DAP). */
  readonly select?: (client: Client.Client, frame: number) => Effect.Effect<unknown, Dap.RequestError>
  readonly open: (connection: Connection) => CommandLine
  /** The signal of the current stop, for adapters whose `stopped` does not name it; undefined if unknown. */
  readonly signal?: (client: Client.Client) => Effect.Effect<Signal | undefined>
  /**
   * The id of the thread that the signal of a core file ended, just after the core was opened; undefined if unknown. Absent if the adapter
   * reports a stop of it, or lists it first.
   */
  readonly coreThread?: (client: Client.Client) => Effect.Effect<number | undefined>
  /**
   * Asks how the program ended, for adapters whose exit code does not tell an exit from a signal. Undefined if the exit code is
   * correct, or if the debugger does not know more.
   */
  readonly end?: (
    client: Client.Client,
    exitCode: number | undefined
  ) => Effect.Effect<Event.Event | undefined> | undefined
}
