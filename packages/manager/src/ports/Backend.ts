/**
 * What the manager needs of a debugger, whichever it is: an interface and nothing else.
 *
 * A backend answers in data and reports what happens as events, synchronously and in the order in which it saw them;
 * what the program wrote before a stop or its end comes before that event. It speaks of breakpoints by our numbers. It keeps no session state and decides nothing about sessions.
 */
import type { Breakpoint, Errors, Event, Session, Settings } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Inspection } from "./Inspection.ts"
import type { Failure, Stack, Thread, Value } from "./ProgramState.ts"

export type { Failure, Stack, StackFrame, Thread, Value } from "./ProgramState.ts"

/** Failures of starting a debugger or a program under it. */
export type LaunchFailure =
  | Failure
  | Errors.AdapterNotFound
  | Errors.VersionTooOld
  | Errors.AdapterStartFailed
  | Errors.LaunchFailed
  | Errors.Usage
  | Errors.AttachFailed
  | Errors.Permission

/** What is there already to be debugged: a process of this machine, a core file, a debug server that speaks gdb-remote. */
export type Existing =
  | {
      readonly kind: "process"
      readonly pid: number
      readonly started: string
      /** Ends it, when it was started for this session by somebody else than the debugger. */
      readonly release?: Effect.Effect<void>
    }
  | { readonly kind: "core"; readonly file: string }
  | { readonly kind: "remote"; readonly host: string; readonly port: number }

/** A program to start. Paths are absolute; `env` is the program's whole environment. */
export interface LaunchRequest {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  /** The caller's own environment, in which debuggers are looked for; that of the program when absent. */
  readonly surroundings?: { readonly [name: string]: string }
  readonly stopOnEntry: boolean
  /** Where names of source files are meant that are no whole paths; beside the program when absent. */
  readonly sources?: string
  /** File to read as standard input; without it the program's input is ours to write. */
  readonly stdin?: string
  /** What to take hold of instead of starting anything; `program` is then its executable, or "" when that is not known. */
  readonly existing?: Existing
  /** Name or path of the adapter, when the caller chose one. */
  readonly adapter?: string
  /** The program shall have a terminal, by which its two output streams become one. */
  readonly terminal?: "pty"
  /** Files that take the program's output instead of us. */
  readonly stdout?: string
  readonly stderr?: string
  /** Standard error goes where standard output goes. */
  readonly mergeStderr?: boolean
  /** For the adapter, as the caller wrote it. */
  readonly options?: { readonly [key: string]: unknown }
  /** Lines for the debugger's own command line at these moments. */
  readonly commands?: {
    readonly init?: ReadonlyArray<string>
    readonly preRun?: ReadonlyArray<string>
    readonly stop?: ReadonlyArray<string>
  }
  /** Where sources are that were compiled elsewhere: from, to. */
  readonly sourceMap?: ReadonlyArray<readonly [string, string]>
  /** Whether addresses differ from run to run. */
  readonly aslr?: boolean
  /** Nobody says how long it is until `run`. */
  readonly held?: boolean
  /** What the caller has configured for its sessions. */
  readonly settings?: Settings.Values
  /** How the debugger is driven, when the caller chose. */
  readonly backend?: string
  /** The simulated device that the program is an app of. */
  readonly simulator?: { readonly udid: string; readonly name: string; readonly bundle: string }
}

/** A breakpoint as it is to be set. `id` is ours. */
export interface Wanted {
  readonly id: number
  readonly line?: number
  readonly column?: number
  readonly function?: string
  readonly condition?: string
  /** It stops from this hit on. */
  readonly hits?: number
  /** It writes this, with every `{expr}` evaluated, and does not stop. */
  readonly log?: string
  /** A place that is neither a line nor a function by its name alone. */
  readonly at?: Special
  /** Memory whose accesses stop the program. */
  readonly watch?: Watched
  /** The debugger's name of an exception filter. */
  readonly filter?: string
}

/** A place that is neither a line nor a function by its name alone, or one for a debug register. */
export type Special = (
  | { readonly kind: "address"; readonly expression: string }
  | { readonly kind: "regex"; readonly pattern: string; readonly ignoreCase: boolean }
  | { readonly kind: "function"; readonly name: string; readonly file?: string; readonly module?: string }
  | { readonly kind: "line"; readonly file: string; readonly line: number; readonly column?: number }
) & {
  /** In a debug register of the processor. */
  readonly hardware?: boolean
}

/** Memory to watch; `size` in bytes. */
export interface Watched {
  readonly address: string
  readonly size: number
  readonly access: Breakpoint.Access
}

/** An exception filter of the debugger. */
export interface ExceptionFilter {
  readonly filter: string
  readonly label: string
  readonly conditions: boolean
}

/** What is known of the exception or signal at which a thread stopped. */
export interface ExceptionFound {
  readonly id: string
  readonly text?: string
  readonly type?: string
  readonly message?: string
}

/**
 * All breakpoints of one source file, all on functions, all of another kind: debuggers take each of these lists as a
 * whole.
 */
export type Group =
  | { readonly kind: "source"; readonly path: string }
  | { readonly kind: "function" }
  | { readonly kind: "special" }
  | { readonly kind: "watch" }
  | { readonly kind: "exception" }

/** Where a wanted breakpoint was placed. `reason` says why it is not resolved. */
export interface Placement {
  readonly id: number
  readonly resolved: boolean
  readonly locations: ReadonlyArray<Placed>
  readonly reason?: string
  /** Who keeps to it, when that is not the adapter. */
  readonly by?: Breakpoint.By
  /** What was asked for and is not done: it stops at each hit instead. */
  readonly left?: ReadonlyArray<"hits" | "log">
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
export type Resume = "continue" | "next" | "step" | "finish" | "stepi" | "nexti"

/** How a resume differs from a plain one. */
export interface Manner {
  /** The other threads stay stopped. */
  readonly only?: boolean
  /** A step enters functions without debug information. */
  readonly system?: boolean
}

/** The standard input of a program. */
export interface Input {
  /** Completes when the pipe has taken every byte, which a program that does not read may delay for ever. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, Failure>
  /** End of file, after everything that was written. */
  readonly close: Effect.Effect<void>
}

/** A debugger with its program. Closing the scope it was made in ends it by the ladder, whatever state it is in. */
export interface Connection {
  readonly adapter: Session.Adapter
  /** What it can do and by which route; what the manager supplies is not its business. */
  readonly features: () => ReadonlyArray<Session.Feature>
  /** Sets the list of one group; answers in the order asked. Works before and while the program runs. */
  readonly setBreakpoints: (
    group: Group,
    wanted: ReadonlyArray<Wanted>
  ) => Effect.Effect<ReadonlyArray<Placement>, Failure>
  /** Lines of a file that have code, in order; none when the debugger knows no such file. */
  readonly lines: (file: string) => Effect.Effect<ReadonlyArray<Placed>, Failure>
  /** The exception filters on offer. */
  readonly filters: Effect.Effect<ReadonlyArray<ExceptionFilter>>
  /** The exception or signal at which a thread stopped. */
  readonly exception: (thread: number) => Effect.Effect<ExceptionFound, Failure>
  /** Goes on after a stop that nobody is told of; a step that it interrupted is finished where the debugger can. */
  readonly goOn: (thread: number) => Effect.Effect<void, Failure>
  /** Starts the program after breakpoints were set; once. */
  readonly run: Effect.Effect<void, LaunchFailure>
  readonly resume: (how: Resume, thread: number, manner?: Manner) => Effect.Effect<void, Failure>
  /** Asks once for a stop; the stop itself is an event. */
  readonly pause: Effect.Effect<void, Failure>
  readonly threads: Effect.Effect<ReadonlyArray<Thread>, Failure>
  readonly stack: (thread: number, start: number, count: number) => Effect.Effect<Stack, Failure>
  /** Arguments and local variables of a frame, arguments first. */
  readonly locals: (frame: number) => Effect.Effect<ReadonlyArray<Value>, Failure>
  readonly children: (value: number, start: number, count: number) => Effect.Effect<ReadonlyArray<Value>, Failure>
  /** `read` must not change the program; what `any` calls is ended after so many milliseconds, some seconds if nothing is said. */
  readonly evaluate: (
    expression: string,
    frame: number,
    how: "read" | "any",
    within?: number
  ) => Effect.Effect<Value, Failure>
  /** The instruction at a frame's place, as the debugger writes it; absent when it cannot tell. */
  readonly instruction: (frame: number) => Effect.Effect<string | undefined, Failure>
  /** What the function returned that a `finish` has just left, where the debugger knows. */
  readonly returned: (frame: number) => Effect.Effect<Value | undefined, Failure>
  /** What else can be asked about the stopped program. */
  readonly inspection: Inspection
  /** One line for the debugger's own command line, ended after so many milliseconds. */
  readonly command: (text: string, frame?: number, within?: number) => Effect.Effect<string, Failure>
  /** The program's standard input, where it is ours to write; absent for a program that we did not start. */
  readonly input?: Input
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
  /** A breakpoint that writes was hit; its message is an event. */
  readonly logged?: (id: number) => void
  /** A condition cannot be evaluated, for which reason the breakpoint stops. */
  readonly conditionFailed?: (id: number, problem: string) => void
}

/** What launch configurations of an editor mean that have one of these types. */
export interface EditorType {
  readonly types: ReadonlyArray<string>
  /** Name of the adapter; absent where the program decides. */
  readonly adapter?: string
  /** Keys that are the adapter's own, passed on as they are. */
  readonly options: ReadonlyArray<string>
  /** Keys of which only these values are passed on; others say what is so anyway. */
  readonly only?: { readonly [key: string]: ReadonlyArray<string> }
}

/** The service: one kind of debugger driver. */
export class Backend extends Context.Service<
  Backend,
  {
    /** Whether a file is source that a debugger runs by itself, so that it need not be executable. */
    readonly runsSource?: (program: string, settings?: Settings.Values) => boolean
    /** The types of an editor's launch configurations that can be debugged. */
    readonly editorTypes?: ReadonlyArray<EditorType>
    /** Starts debugger and program; the program waits to be configured and `run`. */
    readonly launch: (
      launch: LaunchRequest,
      listener: Listener
    ) => Effect.Effect<Connection, LaunchFailure, Scope.Scope>
  }
>()("@sigtrap/manager/Backend") {}
