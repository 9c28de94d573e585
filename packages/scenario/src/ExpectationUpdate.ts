/**
 * Writing what was observed into a scenario's file, in place of the plain values that were expected there. Comments and
 * everything else in the file stay as they are.
 */
import * as Predicate from "effect/Predicate"
import { parseAllDocuments } from "yaml"
import type { Mismatch } from "./Expectation.ts"
import type { Written } from "./Scenario.ts"

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

/** The text of a file with values in their places in one of its documents; a place that is written in another way stays. */
export const write = (text: string, all: ReadonlyArray<Observed>, where: Pick<Written, "document" | "path">) => {
  const documents = [...parseAllDocuments(text)]
  const document = documents[where.document]
  for (const { path, value } of all) {
    const place = [...where.path, ...path]
    if (document?.hasIn(place) === true) document.setIn(place, value)
  }
  return documents.map((each) => each.toString({ lineWidth: 0 })).join("")
}
