/**
 * The interface between the manager and a debugger.
 *
 * A backend answers requests with data and reports events synchronously, in the order in which it sees them. Output that
 * the program wrote before a stop or its end comes before that event. Breakpoints have the manager's numbers. A backend
 * keeps no session state and decides nothing about sessions.
 */
import type { Breakpoint, Errors, Event, Session, Settings, Stop } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Inspection } from "./Inspection.ts"
import type { Held, Pipes, ProgramRuns } from "./ProgramRuns.ts"
import type { WriteRuns } from "./WriteRuns.ts"
import type { ExceptionDetails, Failure, RaisedException, Stack, Thread, Value } from "./ProgramState.ts"
import type { Reexecution } from "./Reexecution.ts"
import type { Tasks } from "./Tasks.ts"
import type { PathRecorder } from "./PathRecorder.ts"
import type { Logged, Tracer } from "./Tracer.ts"
import type { BreakpointScopes } from "./BreakpointScopes.ts"
import type { StopCorrections } from "./StopCorrections.ts"

export type { Pipes } from "./ProgramRuns.ts"
export type { ExceptionDetails, Failure, RaisedException, Stack, StackFrame, Thread, Value } from "./ProgramState.ts"

/** Failures of starting a debugger, or a program under it. */
export type LaunchFailure =
  | Failure
  | Errors.AdapterNotFound
  | Errors.VersionTooOld
  | Errors.AdapterStartFailed
  | Errors.LaunchFailed
  | Errors.Usage
  | Errors.AttachFailed
  | Errors.Permission

/** A target that exists already: a process of this machine, a core file, or a debug server (gdb-remote protocol). */
export type AttachTarget =
  | {
      readonly kind: "process"
      readonly pid: number
      readonly started: string
      /** The program's file was replaced or removed after the process had started. */
      readonly replaced?: boolean
      /** The main thread has ended and other threads run. */
      readonly mainEnded?: boolean
      /** Ends the process. Set if it was launched for this session, but not by the debugger. */
      readonly release?: Effect.Effect<void>
    }
  | { readonly kind: "core"; readonly file: string }
  | { readonly kind: "remote"; readonly host: string; readonly port: number }

/** A program to start, or a target to attach to. Paths are absolute. `env` is the program's whole environment. */
export interface LaunchRequest {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  /** The caller's environment, in which debuggers are searched; the program's when absent. */
  readonly callerEnv?: { readonly [name: string]: string }
  readonly stopOnEntry: boolean
  /** Directory of relative source file names; the program's directory when absent. */
  readonly sources?: string
  /** File that is the program's standard input. Without it the manager writes the input. */
  readonly stdin?: string
  /** Target to attach to instead of starting a program. `program` is its executable, or "" if unknown. */
  readonly existing?: AttachTarget
  /** The program is launched already and stopped under a debug server; the debugger takes it over. */
  readonly held?: Held
  /** Name or path of the adapter, if the caller chose one. */
  readonly adapter?: string
  /** Gives the program a pseudo-terminal, which merges its two output streams. */
  readonly terminal?: "pty"
  /** Files to which the program's output is redirected. */
  readonly stdout?: string
  readonly stderr?: string
  /** Redirects standard error to standard output. */
  readonly mergeStderr?: boolean
  /** Adapter options, as the caller wrote them. */
  readonly options?: { readonly [key: string]: unknown }
  /** Debugger commands: after the debugger has started, before the program runs, and at each stop. */
  readonly commands?: {
    readonly init?: ReadonlyArray<string>
    readonly preRun?: ReadonlyArray<string>
    readonly stop?: ReadonlyArray<string>
  }
  /** Source path prefixes: from the debug information, to this machine. */
  readonly sourceMap?: ReadonlyArray<readonly [string, string]>
  /** True to randomize addresses; false to disable randomization. */
  readonly aslr?: boolean
  /** The process that is debugged after a fork; the other one runs without the debugger. */
  readonly followFork?: "parent" | "child"
  /** Loaded now, started later: no launch timeout. */
  readonly loadOnly?: boolean
  /** The caller's configuration. */
  readonly settings?: Settings.Values
  /** Name of the backend, if the caller chose one. */
  readonly backend?: string
  /** The simulator and app that the program belongs to. */
  readonly simulator?: { readonly udid: string; readonly name: string; readonly bundle: string }
}

/** A breakpoint to set. `id` is the manager's number. */
export interface BreakpointRequest {
  readonly id: number
  readonly line?: number
  readonly column?: number
  readonly function?: string
  readonly condition?: string
  /** Stops from this hit on. */
  readonly hits?: number
  /** Log message with `{expr}` placeholders. The breakpoint does not stop. */
  readonly log?: string
  /** A place other than a line or a plain function name. */
  readonly at?: SpecialPlace
  /** Memory to watch. */
  readonly watch?: WatchedMemory
  /** Exception filter, by the debugger's name for it. */
  readonly filter?: string
}

/** A place other than a line or a plain function name, or any place for a hardware breakpoint. */
export type SpecialPlace = (
  | { readonly kind: "address"; readonly expression: string }
  | {
      readonly kind: "regex"
      readonly pattern: string
      readonly ignoreCase: boolean
      /** Stops only for exceptions of C++ that a test framework catches; the function is the personality routine. */
      readonly escaping?: boolean
    }
  | { readonly kind: "function"; readonly name: string; readonly file?: string; readonly module?: string }
  | { readonly kind: "line"; readonly file: string; readonly line: number; readonly column?: number }
) & {
  /** Uses a debug register of the processor. */
  readonly hardware?: boolean
}

/** Memory to watch. `size` is in bytes. */
export interface WatchedMemory {
  readonly address: string
  readonly size: number
  readonly access: Breakpoint.Access
}

/**
 * An exception filter that the debugger offers. `conditions` is true if it takes a condition, `on` if it is on by default and
 * was not turned off.
 */
export interface ExceptionFilter {
  readonly filter: string
  readonly label: string
  readonly conditions: boolean
  readonly on?: boolean
}

/**
 * The list that a breakpoint belongs to: those of one source file, of functions, or of another kind. A debugger takes
 * each list as a whole (DAP `setBreakpoints`).
 */
export type Group =
  | { readonly kind: "source"; readonly path: string }
  | { readonly kind: "function" }
  | { readonly kind: "special" }
  | { readonly kind: "watch" }
  | { readonly kind: "exception" }

/** Where the debugger placed a breakpoint. `reason` says why it is not resolved. */
export interface Placement {
  readonly id: number
  readonly resolved: boolean
  readonly locations: ReadonlyArray<BreakpointLocation>
  readonly reason?: string
  /** Names that the debugger resolves in place of the requested one. */
  readonly near?: ReadonlyArray<string>
  /** What implements the breakpoint, if not the adapter. */
  readonly by?: Breakpoint.By
  /** Requested options that the debugger does not support. It stops at each hit instead. */
  readonly unsupported?: ReadonlyArray<"hits" | "log" | "condition">
}

/** One location of a breakpoint. */
export interface BreakpointLocation {
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly function?: string
  readonly module?: string
  readonly address?: string
}

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
export interface ProjectProgram {
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
    readonly projectProgram?: (launch: DebuggerChoice) => Effect.Effect<ProjectProgram | undefined>
    /** Opens runs of a program without its debugger; undefined if that is not possible for it. */
    readonly runs?: (launch: LaunchRequest) => Effect.Effect<ProgramRuns | undefined, LaunchFailure, Scope.Scope>
    /** Opens runs that count writes without its debugger; undefined if that is not possible for the program. */
    readonly writes?: (launch: LaunchRequest) => Effect.Effect<WriteRuns | undefined, LaunchFailure, Scope.Scope>
    /** Starts debugger and program. The program waits until it is configured and `run`. */
    readonly launch: (at: LaunchRequest, to: Listener) => Effect.Effect<Connection, LaunchFailure, Scope.Scope>
  }
>()("@sigtrap/manager/Backend") {}
