/**
 * Our breakpoint numbers and the adapter's, of one connection.
 *
 * An adapter's number can be 0, missing, shared by two of ours, or new after each set request; the newest answer holds.
 */

/** The numbers of one connection. */
export class BreakpointIds {
  readonly #theirs = new Map<number, number>()
  readonly #resolved = new Set<number>()
  /** The adapter's numbers that the current stop named and that were nobody's yet. */
  #unclaimed = new Set<number>()

  /** Notes what the adapter calls one of ours now, and whether it has bound it. */
  set(ours: number, theirs: number | undefined, resolved: boolean): void {
    if (theirs === undefined) this.#theirs.delete(ours)
    else this.#theirs.set(ours, theirs)
    this.settle(ours, resolved)
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

  /** Whether the current stop named this one before its own answer had told what it is called. */
  claim(theirs: number): boolean {
    return this.#unclaimed.delete(theirs)
  }

  /** The current stop is over. */
  resumed(): void {
    this.#unclaimed = new Set()
  }

  /** Every one of ours that a stop names. Old adapters name them only in the text: `breakpoint 2.1 3.1`. */
  ours(theirs: ReadonlyArray<number>, text: string | undefined): ReadonlyArray<number> {
    const listed = /^breakpoint ((?:\d+\.\d+ ?)+)/.exec(text ?? "")?.[1]?.trim()
    const inText = listed === undefined ? [] : listed.split(/\s+/).map((place) => Number.parseInt(place, 10))
    const named = new Set([...theirs, ...inText])
    const known = new Set(this.#theirs.values())
    this.#unclaimed = new Set([...named].filter((id) => !known.has(id)))
    return [...this.#theirs].filter(([, known]) => named.has(known)).map(([ours]) => ours)
  }
}
