/**
 * The interface between the manager and a debugger.
 *
 * A backend answers requests with data and reports events synchronously, in the order in which it sees them. Output that
 * the program wrote before a stop or its end comes before that event. Breakpoints have the manager's numbers. A backend
 * keeps no session state and decides nothing about sessions.
 */
import type { Event, Session, Settings, Stop } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { BreakpointLocation, BreakpointRequest, ExceptionFilter, Group, Placement } from "./BreakpointRequest.ts"
import type { Inspection } from "./Inspection.ts"
import type { LaunchFailure, LaunchRequest } from "./LaunchRequest.ts"
import type { Pipes, ProgramRuns } from "./ProgramRuns.ts"
import type { WriteRuns } from "./WriteRuns.ts"
import type { ExceptionDetails, Failure, RaisedException, Stack, Thread, Value } from "./ProgramState.ts"
import type { Reexecution } from "./Reexecution.ts"
import type { Tasks } from "./Tasks.ts"
import type { PathRecorder } from "./PathRecorder.ts"
import type { Logged, Tracer } from "./Tracer.ts"
import type { BreakpointScopes } from "./BreakpointScopes.ts"
import type { StopCorrections } from "./StopCorrections.ts"

export type {
  BreakpointLocation,
  BreakpointRequest,
  ExceptionFilter,
  Group,
  Placement,
  SpecialPlace,
  WatchedMemory
} from "./BreakpointRequest.ts"
export type { AttachTarget, LaunchFailure, LaunchRequest } from "./LaunchRequest.ts"
export type { Pipes } from "./ProgramRuns.ts"
export type { ExceptionDetails, Failure, RaisedException, Stack, StackFrame, Thread, Value } from "./ProgramState.ts"

/** A resume command. */
export type Resume = "continue" | "next" | "step" | "finish" | "stepi" | "nexti"

/** Options of a resume. */
export interface ResumeOptions {
  /** Resumes only this thread (DAP `singleThread`). */
  readonly only?: boolean
  /** Steps into functions without debug information. */
  readonly system?: boolean
  /** The frame whose function `finish` leaves; the innermost one without it, and if `finishesFrames` is not set. */
  readonly frame?: number
  /** The caller reports the locals of the stop. */
  readonly locals?: boolean
}

/** The standard input of a program. */
export interface Input {
  /** Completes when the pipe has taken every byte. It never completes while the program does not read. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, Failure>
  /** Sends end of file after everything that was written. */
  readonly close: Effect.Effect<void>
}

/** How a debugger ended. `forced` is true if it did not answer the request to disconnect and was killed. */
export interface Ending {
  readonly forced: boolean
}

/** A debugger with its program. Closing its scope ends the debugger in any state: request, then SIGTERM, then SIGKILL. */
export interface Connection extends StopCorrections, BreakpointScopes {
  readonly adapter: Session.Adapter
  /** Returns the capabilities that the debugger supplies. Those that the manager adds are not listed. */
  readonly features: () => ReadonlyArray<Session.Feature>
  /** Sets the list of one group and returns placements in the same order. Works before and while the program runs. */
  readonly setBreakpoints: (
    group: Group,
    wanted: ReadonlyArray<BreakpointRequest>
  ) => Effect.Effect<ReadonlyArray<Placement>, Failure>
  /**
   * Adds breakpoints to a list that has at most `others` already, without sending those again, and returns the placements of
   * the new ones. Undefined, and nothing is sent, if the whole list has to be set. Absent if the debugger takes whole lists only.
   */
  readonly addBreakpoints?: (
    group: Group,
    added: ReadonlyArray<BreakpointRequest>,
    others: number
  ) => Effect.Effect<ReadonlyArray<Placement> | undefined, Failure>
  /** Returns the lines of a file that have code, in order; none if the debugger does not know the file. */
  readonly lines: (file: string) => Effect.Effect<ReadonlyArray<BreakpointLocation>, Failure>
  /** Available exception filters. */
  readonly filters: Effect.Effect<ReadonlyArray<ExceptionFilter>>
  /** The functions of `catch` by its names, in a debugger that finds functions by whole names only. */
  readonly catchFunctions?: Readonly<Record<string, string>>
  /** Turns off filters that are on by default. */
  readonly turnOffDefaults?: (filters: ReadonlyArray<string>) => Effect.Effect<void, Failure>
  /** The exception or signal at which a thread stopped. */
  readonly exception: (thread: number) => Effect.Effect<ExceptionDetails, Failure>
  /** Returns the exceptions that led to the one of a thread, the newest first; undefined if they are unknown. Absent if the debugger cannot. */
  readonly earlierExceptions?: (thread: number) => Effect.Effect<ReadonlyArray<RaisedException> | undefined>
  /** Resumes after a suppressed stop, completing an interrupted step if possible. */
  readonly resumeSilently: (thread: number) => Effect.Effect<void, Failure>
  /** Starts the program, once, after breakpoints are set. */
  readonly run: Effect.Effect<void, LaunchFailure>
  readonly resume: (how: Resume, thread: number, manner?: ResumeOptions) => Effect.Effect<void, Failure>
  /** True if `finish` can leave the function of another frame than the innermost one. */
  readonly finishesFrames?: boolean
  /** Sends one pause request. The stop itself is an event. */
  readonly pause: Effect.Effect<void, Failure>
  /** True if a debugger may use up a pause request without a stop long after it, so requests are repeated until the timeout. */
  readonly usesUpPauses?: boolean
  /** True if a stopped thread ran code of the program, unless its only frame is the event loop (`EventLoop.frameName`). */
  readonly stopsInCode?: boolean
  readonly threads: Effect.Effect<ReadonlyArray<Thread>, Failure>
  readonly stack: (thread: number, start: number, count: number) => Effect.Effect<Stack, Failure>
  /** Begins to read what a report of a stopped thread needs. Called when a stop is recorded. Absent if that takes no time. */
  readonly readAhead?: (thread: number, reason: Stop.StopReason) => void
  /** Returns arguments and local variables of a frame, arguments first. */
  readonly locals: (frame: number) => Effect.Effect<ReadonlyArray<Value>, Failure>
  readonly children: (value: number, start: number, count: number) => Effect.Effect<ReadonlyArray<Value>, Failure>
  /**
   * True if `evaluate` with `read` also answers `Expression.readsContainer` without running code of the program. Otherwise it
   * gets only expressions that have no call.
   */
  readonly readsContainers?: boolean
  /** The builtin functions of the language that `evaluate` with `read` computes without running code, such as `len`. */
  readonly readingCalls?: ReadonlySet<string>
  /**
   * True if an expression that only reads by its text can run code of the program: getters, conversions, descriptions of objects. An
   * expression then runs none if `Expression.onlyComparesIdentity`.
   */
  readonly propertiesRunCode?: boolean
  /** True if `evaluate` with `read` refuses an expression that runs code of the program, where `RunsCode` forbids it. */
  readonly refusesCode?: boolean
  /** Assigns to an expression in a frame. Absent if an assignment is evaluated as an expression. */
  readonly assign?: (target: string, value: string, frame: number) => Effect.Effect<void, Failure>
  /** Evaluates an expression. `read` must not change the program. Calls by `any` end after `within` milliseconds. */
  readonly evaluate: (
    expression: string,
    frame: number,
    how: "read" | "any",
    within?: number
  ) => Effect.Effect<Value, Failure>
  /** Returns the instruction at a frame's address as text; none if unknown. */
  readonly instruction: (frame: number) => Effect.Effect<string | undefined, Failure>
  /** Returns the return value after `finish`; none if unknown. */
  readonly returned: (frame: number) => Effect.Effect<Value | undefined, Failure>
  /** Further requests about the stopped program. */
  readonly inspection: Inspection
  /** What running the program again needs. Absent if the debugger does not count the hits of watchpoints itself. */
  readonly reexecution?: Reexecution
  /** Runs one debugger command, ended after `within` milliseconds, and returns its output. */
  readonly command: (text: string, frame?: number, within?: number) => Effect.Effect<string, Failure>
  /** Returns the thread and the frame that a command selected; undefined if it selected none. Absent if the debugger cannot tell. */
  readonly selectedBy?: (
    command: string
  ) => Effect.Effect<{ readonly thread: number; readonly frame: number } | undefined, Failure>
  /** Exceptions at which the program stops unless `start` names others, such as `panic`. */
  readonly catches?: ReadonlyArray<string>
  /** Records hits of breakpoints inside the debugger; absent if it cannot. */
  readonly tracer?: Tracer
  /** Records the path of the program inside the debugger; absent if it cannot. */
  readonly paths?: PathRecorder
  /** Lists tasks of the language's runtime; absent if it has none or the debugger cannot. */
  readonly tasks?: Tasks
  /** True if the system stops a stopped program (ptrace), so that only SIGKILL ends it. */
  readonly traces?: boolean
  /** The program's standard input; absent for a program that the session did not start. */
  readonly input?: Input
  /** Ends the debugger within 8 s. Kills the program, or detaches and leaves it running. */
  readonly end: (how: "kill" | "detach") => Effect.Effect<Ending>
}

/** The items of a list of the debugger. */
export type Listed = "variables" | "threads" | "modules" | "files"

/** Takes reports of a debugger. Called synchronously, except `spawned`, and in order; must not block. */
export interface Listener {
  readonly emit: (event: Event.Event) => void
  /** Records the pid of the debugger's process. It must complete before the first request to the debugger. */
  readonly spawned: (pid: number, home: string) => Effect.Effect<void>
  /** Reports that the debugger moved a breakpoint on its own. */
  readonly placed: (placement: Placement) => void
  /** Reports the hit of a logpoint. Its message is an event. */
  readonly logpointHit?: (id: number) => void
  /** Reports hits of logpoints that the debugger recorded; the manager writes their messages. */
  readonly logged?: (logged: Logged) => void
  /** Reports how often the program passed the place of a breakpoint with a condition or a count; sent before its end. */
  readonly passed?: (id: number, count: number) => void
  /** Reports children that the program forked, as far as the debugger remembers them; sent before the program's end. */
  readonly forked?: (pids: ReadonlyArray<number>) => void
  /** Reports whether the program may pass breakpoints that the debugger does not notice; false if it is not called. */
  readonly mayMiss?: (may: boolean) => void
  /** Reports that a condition could not be evaluated, so that the breakpoint stopped. */
  readonly conditionFailed?: (id: number, problem: string) => void
  /** Reports that the debugger sent `count` more items of a list than are read. */
  readonly cut?: (what: Listed, count: number) => void
  /** Keeps the pipes of a launched program after the debugger's end; without it they end with the debugger. */
  readonly pipes?: {
    readonly scope: Scope.Scope
    /** Reports that the pipes are open. They belong to `scope`. */
    readonly opened: (pipes: Pipes) => void
  }
}

/** How to read launch configurations of an editor with one of these types. */
export interface EditorType {
  readonly types: ReadonlyArray<string>
  /** Name of the adapter; absent if it depends on the program. */
  readonly adapter?: string
  /** Keys that are passed to the adapter as they are. */
  readonly options: ReadonlyArray<string>
  /** Keys that are passed on with these values only. Other values are the default anyway. */
  readonly only?: { readonly [key: string]: ReadonlyArray<string> }
}

/** The parts of a launch that choose its debugger. */
export type DebuggerChoice = Pick<
  LaunchRequest,
  "program" | "adapter" | "backend" | "env" | "callerEnv" | "existing" | "settings"
>

type SourceChoice = Pick<LaunchRequest, "adapter" | "settings">

/** A program that a project's configuration file chooses: its command line, and the keys and the file that name it. */
export interface ProjectDebugger {
  readonly command: string
  readonly source: string
}

/** Starts debuggers. */
export class Backend extends Context.Service<
  Backend,
  {
    /** True for a source file that a debugger runs itself, so that it need not be executable. */
    readonly runsSource?: (program: string, choice: SourceChoice) => Effect.Effect<boolean>
    /** Returns the adapter for the programs of an interpreter, by the file of the interpreter; undefined for another file. */
    readonly interpreterAdapter?: (file: string) => Effect.Effect<string | undefined>
    /** Returns the types of editor launch configurations that can be debugged with these settings. */
    readonly editorTypes?: (settings?: Settings.Values) => Effect.Effect<ReadonlyArray<EditorType>>
    /** Returns the program that a launch would start as debugger because a project's configuration file names it. */
    readonly projectDebugger?: (launch: DebuggerChoice) => Effect.Effect<ProjectDebugger | undefined>
    /** Opens runs of a program without its debugger; undefined if that is not possible for it. */
    readonly runs?: (launch: LaunchRequest) => Effect.Effect<ProgramRuns | undefined, LaunchFailure, Scope.Scope>
    /** Opens runs that count writes without its debugger; undefined if that is not possible for the program. */
    readonly writes?: (launch: LaunchRequest) => Effect.Effect<WriteRuns | undefined, LaunchFailure, Scope.Scope>
    /** Starts debugger and program. The program waits until it is configured and `run`. */
    readonly launch: (at: LaunchRequest, to: Listener) => Effect.Effect<Connection, LaunchFailure, Scope.Scope>
  }
>()("@sigtrap/manager/Backend") {}
