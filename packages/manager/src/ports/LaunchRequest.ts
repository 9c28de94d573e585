/**
 * What a backend starts or attaches to: the request of a launch, and its failures.
 */
import type { Errors, Settings } from "@sigtrap/protocol"
import type * as Effect from "effect/Effect"
import type { Held } from "./ProgramRuns.ts"
import type { Failure } from "./ProgramState.ts"

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
