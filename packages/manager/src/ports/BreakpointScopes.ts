/** The names that an expression can have at the locations of a breakpoint. */
import type * as Effect from "effect/Effect"
import type { Failure } from "./ProgramState.ts"

/** Names in an expression that mean nothing, and the names of the variables that can be used in their place. */
interface UnknownNames {
  readonly unknown: ReadonlyArray<string>
  readonly known: ReadonlyArray<string>
}

/** What a connection knows about the locations of a breakpoint. */
export interface BreakpointScopes {
  /**
   * Returns those of the names that mean nothing at any location of a breakpoint. A name that the debugger does not know for sure is not
   * unknown. Absent if the debugger cannot tell before the program arrives there.
   */
  readonly unknownNames?: (breakpoint: number, names: ReadonlyArray<string>) => Effect.Effect<UnknownNames, Failure>
}
