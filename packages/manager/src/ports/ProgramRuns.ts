/**
 * Runs of a program without its symbols, for repeated runs that look for a failure. A run that fails is held: its process stays
 * stopped, and a debugger can take it over.
 */
import type { Errors } from "@sigtrap/protocol"
import type * as Effect from "effect/Effect"
import type { Description } from "./Processes.ts"
import type { TracedField } from "./TracedField.ts"

export type { TracedField } from "./TracedField.ts"

/** The pipes of a launched program. */
export interface Pipes {
  /** Processes that have one of them open, except the daemon. */
  readonly holders: Effect.Effect<ReadonlyArray<Description>>
  /** Reads and reports what was written so far; called synchronously. */
  readonly drain: () => void
}

/** Why a run was not possible. */
export type RunFailure = Errors.LaunchFailed | Errors.AdapterError

/** Receives bytes of one stream; called synchronously, must not keep the array. */
export type OnBytes = (channel: "stdout" | "stderr", bytes: Uint8Array) => void

/** The streams of a held program, which its session takes over. */
export interface HeldStreams extends Pipes {
  readonly input: string
  readonly output: string
  readonly error: string
  /** Gives the output that was kept to a new receiver, and all later output. Returns the number of bytes that were not kept. */
  readonly redirect: (onBytes: OnBytes) => number
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, { readonly detail: string }>
  readonly closeInput: Effect.Effect<void>
}

/** A launched program that is stopped without a debugger, and how a debugger takes it over. */
export interface Held {
  readonly pid: number
  /** Why it is stopped: by a signal, before it exits, at a breakpoint, or because it was interrupted. */
  readonly cause: "signal" | "exit" | "breakpoint" | "pause"
  /** The exit code, if it is about to exit. */
  readonly code?: number
  /** Path of the Unix socket at which the connection to its debug server waits for one client. */
  readonly socket: string
  readonly streams: HeldStreams
  /** Ends what is left of the run. Kills the program unless a debugger has detached from it. */
  readonly release: (how: "kill" | "detach") => Effect.Effect<void>
}

/** A trace point of a run: its distance from the entry point of the program, and its values in the order of the expressions. */
export interface TracedPoint {
  readonly id: number
  readonly address: bigint
  readonly fields: ReadonlyArray<TracedField>
}

/** A record of a run. `time` is in milliseconds since the program was loaded. */
export interface TracedHit {
  readonly id: number
  readonly thread: number
  readonly time: number
  readonly values: ReadonlyArray<string>
}

/** The records of a run: the newest ones, oldest first, and how many there were of each point. */
export interface Traced {
  readonly hits: ReadonlyArray<TracedHit>
  readonly counts: ReadonlyMap<number, number>
}

/** When a run fails, beside a fatal signal. */
export interface RunOptions {
  /** Holds the program before it exits with a code other than 0. */
  readonly exits: boolean
  /** Holds the program at a panic of its main thread, or of any. */
  readonly panics?: "main" | "any"
  /** Milliseconds after which a program that still runs has failed. */
  readonly hang?: number
  /** Reads the running process in the last milliseconds before it counts as hanging. Not used if `hang` is shorter. */
  readonly watch?: { readonly millis: number; readonly read: (pid: number) => Effect.Effect<void> }
  /** True if the output so far contains what counts as a failure. Called with each line, and with an unfinished last one. */
  readonly output?: (line: string) => boolean
  /** Milliseconds after which the run is given up without a result. */
  readonly limit: number
  /** True to take the fingerprint of the stack of a run that is stopped by a signal or before it exits. */
  readonly fingerprint?: boolean
  /** Values to record, and how many of the newest records are kept. */
  readonly trace?: { readonly points: ReadonlyArray<TracedPoint>; readonly newest: number }
}

/** What a runtime has written about a failure before the end of the program. */
export type FailureReport = "assert" | "panic" | "sanitizer"

/** How a run ended. `held` is set if its process is still there. */
export interface Run {
  readonly outcome: "passed" | "exit" | "signal" | "output" | "hang"
  readonly code?: number
  readonly signal?: string
  /** What the program's own runtime has reported on its standard error. */
  readonly reported?: FailureReport
  /** The line with the finding of a sanitizer, of a run without a debugger. */
  readonly summary?: string
  readonly held?: Held
  /** Equal for two runs only if their stacks have the same frames. Absent if it is not known. */
  readonly fingerprint?: string
  readonly traced?: Traced
  readonly ms: number
}

/** Runs of one program. */
export interface ProgramRuns {
  /** The name of what runs it, for people: `lldb-server`. */
  readonly by: string
  /** True if the program looks for leaks at its end. LeakSanitizer can do that without a debugger only. */
  readonly looksForLeaks: boolean
  /** Runs the program once. Interrupting it ends the program. `undefined`: it did not end within `limit`. */
  readonly run: (options: RunOptions) => Effect.Effect<Run | undefined, RunFailure>
  /** Runs the program once without any debugger. */
  readonly native: (options: RunOptions) => Effect.Effect<Run | undefined, RunFailure>
}
