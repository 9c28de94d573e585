/**
 * The end of a program of Go in which no goroutine can run, by the text of its runtime (runtime/proc.go, `checkdead`).
 */

/** Returns whether a text of the runtime says that all goroutines wait. */
export const isTold = (text: string): boolean => /\ball goroutines are asleep - deadlock!/.test(text)
