/**
 * What a signal does to a process: whether it has a handler, ignores it, or dies of it.
 */
import { Processes } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** Names of signals by their number on Linux, x86-64 and AArch64 (signal(7)). */
const names = new Map(
  (
    "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT " +
    "CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"
  )
    .split(" ")
    .map((name, index) => [index + 1, `SIG${name}`] as const)
)

/** Returns the name of a signal: `SIGSEGV`, or its number if it has none. */
export const nameOf = (signal: number): string => names.get(signal) ?? `signal ${signal}`

/** Signals that do nothing or only stop a process without a handler: they reach it without a stop. */
export const harmless: ReadonlyArray<number> = [17, 18, 19, 20, 21, 22, 23, 28]

/** Signals of faults: a program that handles one is stopped at each. */
const faults: ReadonlySet<number> = new Set([4, 5, 6, 7, 8, 11, 31])

/** True if a handled signal may be passed to the program without further stops. */
export const isPassed = (signal: number): boolean => !faults.has(signal)

/** Returns whether a process handles or ignores a signal; false if the system does not tell. */
export const handles = Effect.fnUntraced(function* (pid: number, signal: number) {
  const { handlesSignal } = yield* Processes.Processes
  return handlesSignal === undefined ? false : yield* handlesSignal(pid, signal)
})
