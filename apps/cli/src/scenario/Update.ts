/**
 * Writing what was observed into a scenario's file, in place of the plain values that were expected there. Comments and
 * everything else in the file stay as they are.
 */
import { Predicate } from "effect"
import { parseDocument } from "yaml"
import type { Mismatch } from "./Expect.ts"

/** A value and where in the file it belongs. */
export interface Observed {
  readonly path: ReadonlyArray<string | number>
  readonly value: unknown
}

/** Whether there is something to write for a mismatch: comparisons that do not hold are for a person to judge. */
export const isPlain = ({ observed }: Mismatch): boolean =>
  observed !== undefined && observed.value !== undefined && !Predicate.isReadonlyObject(observed.value)

/** What to write for a mismatch of a step. */
export const of = (part: string, index: number, { observed }: Mismatch): ReadonlyArray<Observed> =>
  observed === undefined ? [] : [{ path: [part, index, "expect", ...observed.keys], value: observed.value }]

/** The text of a file with values in their places; a place that is written in another way stays. */
export const write = (text: string, all: ReadonlyArray<Observed>): string => {
  const document = parseDocument(text)
  for (const { path, value } of all) if (document.hasIn(path)) document.setIn(path, value)
  return document.toString({ lineWidth: 0 })
}
