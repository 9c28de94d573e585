/**
 * What running a program again to a moment of an earlier run needs from a debugger: hit counts that the debugger keeps without
 * stopping, and stops where the program reads what another run may not repeat. A part of `Backend.Connection`.
 */
import type * as Effect from "effect/Effect"
import type { Failure } from "./ProgramState.ts"

/** Requests of a stopped program. Frames are handles of the connection. */
export interface Reexecution {
  /** Returns how often a watchpoint was hit, with the hits that the debugger ignored, by the manager's number. */
  readonly hits: (watchpoint: number) => Effect.Effect<number, Failure>
  /**
   * Stops the program at the first instruction of functions, also of libraries that are loaded later, and of methods with the
   * same names. The stops name no breakpoint. Returns the request that ends this.
   */
  readonly stopAtCalls: (names: ReadonlyArray<string>) => Effect.Effect<Effect.Effect<void, Failure>, Failure>
  /** Returns an integer argument at the first instruction of a function, counted from 0; undefined if it is not known. */
  readonly argument: (frame: number, index: number) => Effect.Effect<bigint | undefined, Failure>
}
