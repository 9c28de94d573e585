/**
 * What debuggers report wrongly or leave out at a stop: breakpoints that they do not name, and exceptions that are not certain.
 */
import type * as Effect from "effect/Effect"
import type { Failure } from "./ProgramState.ts"

/** The facts and requests with which the manager corrects a stop. A part of `Backend.Connection`. */
export interface StopCorrections {
  /**
   * Returns the breakpoints at the address of a thread that stopped for another reason, if they would stop the program. Counts the hits
   * that the debugger ignores. Absent if the debugger stops there itself when it resumes.
   */
  readonly dueBreakpoints?: (thread: number) => Effect.Effect<ReadonlyArray<number>, Failure>
  /**
   * Returns the breakpoints at which a thread stops that got SIGTRAP or SIGSTOP because the debugger set or removed a breakpoint; undefined
   * if the debugger did not cause the signal. Counts the hits that the debugger ignores. Absent if the debugger reports no such signal.
   */
  readonly breakpointsAtSignal?: (thread: number) => Effect.Effect<ReadonlyArray<number> | undefined, Failure>
  /**
   * The debugger stops at exceptions that the program may still handle: V8 predicts whether something catches them. `isCertain` is the
   * expression whose value is true if nothing can, and `stopAgain` the one that makes the program stop again where the runtime reports
   * the exception.
   */
  readonly predictsUncaught?: { readonly isCertain: string; readonly stopAgain: string } | undefined
  /** True if a breakpoint can stop only for exceptions of C++ that a test framework catches, and not the test. */
  readonly knowsEscaping?: boolean
  /**
   * True if a stop can name breakpoints whose conditions are false: those of threads that were at them when another thread or a pause
   * stopped the program, and those that did not have their condition yet.
   */
  readonly namesFalseConditions?: boolean
}
