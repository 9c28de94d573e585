/**
 * Which rows of Activity are shown: by who acted, and by what was done.
 */
import { signal } from "@preact/signals"
import type { Row } from "./ActivityRows.ts"

/** Whose rows can be shown. */
export const actorFilters = ["Everyone", "Agents", "People", "Program"] as const
/** Whose rows are shown. */
export type ActorFilter = (typeof actorFilters)[number]

/** The kinds of rows, by the words of the menu. */
export const kindFilters: ReadonlyArray<{ readonly label: string; readonly kinds: ReadonlyArray<Row["kind"]> }> = [
  { label: "Runs and stops", kinds: ["resume", "stop", "end"] },
  { label: "Reads", kinds: ["read"] },
  { label: "Changes", kinds: ["change"] },
  { label: "Control", kinds: ["control"] },
  { label: "Output", kinds: ["output"] }
]

/** Whose rows are shown. */
export const shownActors = signal<ActorFilter>("Everyone")

/** The kinds that are left out, by the words of the menu. */
export const leftOut = signal<ReadonlySet<string>>(new Set())

/** Shows the rows of a kind, or leaves them out. */
export const toggleKind = (label: string): void => {
  const next = new Set(leftOut.value)
  if (!next.delete(label)) next.add(label)
  leftOut.value = next
}

const isOf = (filter: ActorFilter, { who }: Row): boolean => {
  switch (filter) {
    case "Everyone":
      return true
    case "Agents":
      return who === "agent"
    case "People":
      return who === "you" || who === "person"
    case "Program":
      return who === "program" || who === "debugger"
  }
}

/** Returns the rows that pass the filters. A refused action is never left out by its kind. */
export const passing = (
  rows: ReadonlyArray<Row>,
  actors: ActorFilter,
  without: ReadonlySet<string>
): ReadonlyArray<Row> => {
  if (actors === "Everyone" && without.size === 0) return rows
  const kinds = new Set(kindFilters.filter(({ label }) => without.has(label)).flatMap((one) => one.kinds))
  return rows.filter((row) => isOf(actors, row) && (row.refused === true || !kinds.has(row.kind)))
}
