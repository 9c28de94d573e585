/**
 * Breakpoints beyond the protocol, on the command line of the debugger inside an adapter: what every such debugger does
 * in its own words.
 */
import type { Backend } from "@sigtrap/manager"
import type * as Effect from "effect/Effect"

type Set = (wanted: ReadonlyArray<Backend.Wanted>) => Effect.Effect<ReadonlyArray<Backend.Placement>, Backend.Failure>

/** What a debugger's command line does about breakpoints. */
export interface ConsoleBreakpoints {
  /** Sets the list of patterns, addresses and functions of one file or module. */
  readonly special: Set
  /** Sets the list of watchpoints. */
  readonly watch: Set
  /** Lines of a file that have code; none when it is not known. */
  readonly lines: (file: string) => Effect.Effect<ReadonlyArray<Backend.Placed>, Backend.Failure>
  /**
   * Makes ready what breakpoints on functions of these names need; those that none can be set on now. Absent where nothing
   * has to be made ready.
   */
  readonly prepare?: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, Backend.Failure>
  /** Every place of a breakpoint by the adapter's number; none when that cannot be asked now. */
  readonly places: (theirs: number) => Effect.Effect<ReadonlyArray<Backend.Placed>, Backend.Failure>
}
