/**
 * Replaces expected plain values in a scenario's file by observed ones. Comments and other text are kept.
 */
import * as Predicate from "effect/Predicate"
import { parseAllDocuments } from "yaml"
import type { Mismatch } from "./Expectation.ts"
import type { Entry } from "./Scenario.ts"

/** An observed value and its path in the scenario. */
export interface Observed {
  readonly path: ReadonlyArray<string | number>
  readonly value: unknown
}

/** Whether a mismatch can be updated: its expectation is a plain value, not a comparison. */
export const isPlain = ({ observed }: Mismatch): boolean =>
  observed !== undefined && observed.value !== undefined && !Predicate.isReadonlyObject(observed.value)

/** Returns the value to write for a mismatch of a step. */
export const of = (part: string, index: number, { observed }: Mismatch): ReadonlyArray<Observed> =>
  observed === undefined ? [] : [{ path: [part, index, "expect", ...observed.keys], value: observed.value }]

/** Returns the text of a file with values replaced in one scenario. A path that the file does not have is skipped. */
export const write = (text: string, all: ReadonlyArray<Observed>, where: Pick<Entry, "document" | "path">) => {
  const documents = [...parseAllDocuments(text, { prettyErrors: false, uniqueKeys: false })]
  const document = documents[where.document]
  for (const { path, value } of all) {
    const place = [...where.path, ...path]
    if (document?.hasIn(place) === true) document.setIn(place, value)
  }
  return documents.map((each) => each.toString({ lineWidth: 0 })).join("")
}
