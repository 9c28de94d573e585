/**
 * What a debugger offers to record which functions and lines a program passes, without a stop at each. A part of
 * `Backend.Connection`, absent where the debugger has nothing of the kind.
 *
 * Addresses are those in the file of the program, so that they are the same in each run.
 */
import type * as Effect from "effect/Effect"
import type { Failure } from "./ProgramState.ts"

/** Where an address belongs to. */
export interface PathPlace {
  readonly address: number
  readonly function: string
  readonly file: string
  readonly line: number
  readonly column: number
}

/** The entry of a function. `caller` is the address after the call; 0 if the caller is not the program. */
export interface PathEntry {
  readonly address: number
  readonly caller: number
  /** The arguments that are numbers or texts; absent unless they were asked for. */
  readonly values?: ReadonlyArray<readonly [name: string, text: string]>
}

/** A place where the program reads what another run may not repeat. `entry` is the number of entries before it. */
export interface PathRead {
  readonly entry: number
  readonly function: string
  readonly file: string
  readonly line: number
}

/** What was recorded. `end` says why recording has stopped the program; absent if the program has ended or stopped by itself. */
export interface Recording {
  readonly places: ReadonlyArray<PathPlace>
  readonly entries: ReadonlyArray<PathEntry>
  /** Addresses where the code of a line begins, in the order in which they were passed. */
  readonly lines: ReadonlyArray<number>
  readonly reads: ReadonlyArray<PathRead>
  /** `stop`: it arrived; `entries`, `lines`: a limit; `threads`: a second thread has entered a function or a line. */
  readonly end?: "stop" | "entries" | "lines" | "threads"
}

/** What is recorded from now on. */
export interface PathOptions {
  /** Source files whose functions are recorded. */
  readonly files: ReadonlyArray<string>
  /** The program stops after this number of entries. */
  readonly limit: number
  /** Number of the entry, counted from 0, at which the program stops. */
  readonly stop?: number
  /** Records arguments too. */
  readonly values: boolean
  /** Names of functions whose calls are recorded as `reads`. */
  readonly reads: ReadonlyArray<string>
}

/** Which lines are recorded from now on. */
export interface LineOptions {
  /** `stack`: those of the functions on the stack, up to the next entry. `all`: those of all functions that are recorded. */
  readonly of: "stack" | "all"
  /** The program stops after this number of lines. */
  readonly limit: number
  /** Number of the line, counted from 0, at which the program stops. */
  readonly stop?: number
}

/** Records the path of a stopped program. The stops that it causes name no breakpoint. At most one path at a time. */
export interface PathRecorder {
  /** Returns the source files that the program's line tables name. */
  readonly files: Effect.Effect<ReadonlyArray<string>, Failure>
  /** Records entries from now on. Returns the number of functions that are recorded. */
  readonly begin: (options: PathOptions) => Effect.Effect<number, Failure>
  /** Records lines too. Returns the number of places. */
  readonly lines: (options: LineOptions) => Effect.Effect<number, Failure>
  /** Returns what was recorded and stops recording; undefined if nothing was. */
  readonly end: Effect.Effect<Recording | undefined, Failure>
}
