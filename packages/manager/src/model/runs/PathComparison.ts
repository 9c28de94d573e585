/**
 * Compares the recorded paths of two runs of a program.
 */
import type { PathEntry, PathPlace, Recording } from "../../ports/PathRecorder.ts"

/** One step of a path: a line, or the entry of a function. */
export type Step =
  | { readonly kind: "line"; readonly address: number }
  | { readonly kind: "entry"; readonly address: number; readonly caller: number }

const isSameEntry = (a: PathEntry, b: PathEntry) => a.address === b.address && a.caller === b.caller

/** Returns the number of entries that both paths begin with. Two entries are equal if the function and the call in the source are. */
export const commonEntries = (a: ReadonlyArray<PathEntry>, b: ReadonlyArray<PathEntry>): number => {
  const most = Math.min(a.length, b.length)
  for (let index = 0; index < most; index++) {
    const [one, other] = [a[index], b[index]]
    if (one === undefined || other === undefined || !isSameEntry(one, other)) return index
  }
  return most
}

/** Returns the number of steps that both begin with. */
export const commonSteps = (a: ReadonlyArray<Step>, b: ReadonlyArray<Step>): number => {
  const most = Math.min(a.length, b.length)
  for (let index = 0; index < most; index++) {
    const [one, other] = [a[index], b[index]]
    if (one?.kind !== other?.kind || one?.address !== other?.address) return index
    if (one?.kind === "entry" && other?.kind === "entry" && one.caller !== other.caller) return index
  }
  return most
}

/** Returns the steps after a number of entries: the lines, then the entry that follows them, if there is one. */
export const stepsAfter = ({ entries, lines }: Recording, count: number): ReadonlyArray<Step> => {
  const next = entries[count]
  return [
    ...lines.map((address): Step => ({ kind: "line", address })),
    ...(next === undefined ? [] : [{ kind: "entry" as const, address: next.address, caller: next.caller }])
  ]
}

/** Returns how often a function was called in the first `count` entries. */
export const callsOf = (name: string, { entries, places }: Recording, count: number): number => {
  const addresses = new Set(places.filter((place) => place.function === name).map(({ address }) => address))
  return entries.slice(0, count).filter(({ address }) => addresses.has(address)).length
}

/** Returns the place of an address. */
export const placeOf = ({ places }: Recording, address: number): PathPlace | undefined =>
  places.find((place) => place.address === address)

/** The first entry whose arguments differ, and the arguments. `index` counts from 0. */
export interface OtherArguments {
  readonly index: number
  readonly vars: ReadonlyArray<{ readonly path: string; readonly old: string; readonly new: string }>
}

/** Returns the first of the common entries at which an argument differs that both runs have. */
export const otherArguments = (
  a: ReadonlyArray<PathEntry>,
  b: ReadonlyArray<PathEntry>,
  isIgnored: (name: string) => boolean
): OtherArguments | undefined => {
  for (let index = 0; index < commonEntries(a, b); index++) {
    const before = new Map(a[index]?.values)
    const vars = (b[index]?.values ?? []).flatMap(([path, now]) => {
      const old = before.get(path)
      return old === undefined || old === now || isIgnored(path) ? [] : [{ path, old, new: now }]
    })
    if (vars.length > 0) return { index, vars }
  }
  return undefined
}
