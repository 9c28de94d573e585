/**
 * The watched expressions of each program, which the browser remembers, and the value whose past is shown.
 */
import { signal } from "@preact/signals"
import { isTexts, remembered } from "../Preferences.ts"

/** The expression whose values at every stop are shown. */
export const shownHistory = signal<string | undefined>(undefined)

/** The watched expressions, by program. */
export const watches = remembered<ReadonlyArray<string>>("watches", [], isTexts)

/** Returns how an expression of a program is remembered. */
export const keyOf = (program: string | undefined, expression: string): string => `${program ?? ""}\n${expression}`

/** Adds an expression to those that are watched in a program. */
export const addWatch = (program: string | undefined, expression: string): void => {
  const key = keyOf(program, expression)
  if (!watches.value.includes(key)) watches.value = [...watches.value, key]
}
