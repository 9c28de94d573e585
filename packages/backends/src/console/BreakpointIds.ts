/**
 * Our breakpoint numbers and the adapter's, of one connection.
 *
 * An adapter's number can be 0, missing, shared by two of ours, or new after each set request; the newest answer holds.
 */

import type { Backend } from "@sigtrap/manager"

/** The numbers of one connection. */
export class BreakpointIds {
  readonly #theirs = new Map<number, number>()
  /** What else the adapter calls ours. */
  readonly #more = new Map<number, ReadonlyArray<number>>()
  readonly #resolved = new Set<number>()
  readonly #places = new Map<number, { readonly file: string; readonly line: number }>()

  /** Ours that the last list of breakpoints on functions had. */
  functions: ReadonlySet<number> = new Set()

  /** Where the adapter's breakpoints are in full, by its number, and the answer to which that belongs. */
  readonly #found = new Map<number, { readonly answer: string; readonly places: ReadonlyArray<Backend.Placed> }>()

  /** The places found when the adapter last answered exactly so, unless it has spoken of that breakpoint since. */
  found(theirs: number, answer: string): ReadonlyArray<Backend.Placed> | undefined {
    const known = this.#found.get(theirs)
    return known?.answer === answer ? known.places : undefined
  }

  /** Keeps what was found for an answer: each change sends whole lists again, of which nearly all stay as they are. */
  keep(theirs: number, answer: string, places: ReadonlyArray<Backend.Placed>): void {
    this.#found.set(theirs, { answer, places })
  }

  /** Forgets where one of the adapter's is. */
  forget(theirs: number): void {
    this.#found.delete(theirs)
  }

  /** Notes what the adapter calls one of ours now, and whether it has bound it. */
  set(ours: number, theirs: number | undefined, resolved: boolean): void {
    if (theirs === undefined) this.#theirs.delete(ours)
    else this.#theirs.set(ours, theirs)
    this.settle(ours, resolved)
  }

  /** Notes all that the adapter calls one of ours, where it is several of the adapter's. */
  setAll(ours: number, theirs: ReadonlyArray<number>, resolved: boolean): void {
    const [first, ...more] = theirs
    this.set(ours, first, resolved)
    this.#more.set(ours, more)
  }

  /** Forgets one of ours. */
  drop(ours: number): void {
    this.#theirs.delete(ours)
    this.#more.delete(ours)
    this.#resolved.delete(ours)
  }

  /** Notes where one of ours is; whether that is news. */
  place(ours: number, file: string, line: number): boolean {
    const before = this.#places.get(ours)
    this.#places.set(ours, { file, line })
    return before === undefined || before.file !== file || before.line !== line
  }

  /** The adapter's numbers of those that are at a line. */
  theirsAt(file: string, line: number): ReadonlyArray<number> {
    return [...this.#theirs].flatMap(([ours, theirs]) => {
      const place = this.#places.get(ours)
      return place?.file === file && place.line === line ? [theirs] : []
    })
  }

  /** Notes whether one of ours is bound now; whether that is news. */
  settle(ours: number, resolved: boolean): boolean {
    if (this.#resolved.has(ours) === resolved) return false
    if (resolved) this.#resolved.add(ours)
    else this.#resolved.delete(ours)
    return true
  }

  /** Ours by the adapter's number; the first when two share it. */
  oursOf(theirs: number): number | undefined {
    for (const [ours, known] of this.#theirs) if (known === theirs) return ours
    return undefined
  }

  /** The adapter's number of one of ours. */
  theirsOf(ours: number): number | undefined {
    return this.#theirs.get(ours)
  }

  /** Every one of ours that a stop names. Old adapters name them only in the text: `breakpoint 2.1 3.1`. */
  ours(theirs: ReadonlyArray<number>, text: string | undefined): ReadonlyArray<number> {
    const listed = /^breakpoint ((?:\d+\.\d+ ?)+)/.exec(text ?? "")?.[1]?.trim()
    const inText = listed === undefined ? [] : listed.split(/\s+/).map((place) => Number.parseInt(place, 10))
    const named = new Set([...theirs, ...inText])
    return [...this.#theirs]
      .filter(([ours, known]) => named.has(known) || this.#more.get(ours)?.some((other) => named.has(other)) === true)
      .map(([ours]) => ours)
  }
}
