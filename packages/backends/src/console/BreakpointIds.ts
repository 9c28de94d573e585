/**
 * Maps the manager's breakpoint numbers to the adapter's, for one connection.
 *
 * An adapter's number can be 0, missing, the same for two breakpoints of the manager, or new after each set request. The
 * latest answer counts. In names, `ours` is the manager's number and `theirs` is the adapter's.
 */
import type { Backend } from "@sigtrap/manager"

/** The numbers of one connection. */
export class BreakpointIds {
  readonly #theirs = new Map<number, number>()
  /** The adapter's second and later numbers of a breakpoint, by the manager's number. */
  readonly #more = new Map<number, ReadonlyArray<number>>()
  readonly #resolved = new Set<number>()
  readonly #places = new Map<number, { readonly file: string; readonly line: number }>()

  /** The manager's numbers in the last list of function breakpoints. */
  functions: ReadonlySet<number> = new Set()

  /** All locations of the adapter's breakpoints, by the adapter's number, with the answer that gave them. */
  readonly #found = new Map<
    number,
    { readonly answer: string; readonly places: ReadonlyArray<Backend.BreakpointLocation> }
  >()

  /** Returns the locations found for an identical answer; absent after an event about the breakpoint. */
  found(theirs: number, answer: string): ReadonlyArray<Backend.BreakpointLocation> | undefined {
    const known = this.#found.get(theirs)
    return known?.answer === answer ? known.places : undefined
  }

  /** Keeps the locations found for an answer. Each change sends whole lists again, and most entries stay the same. */
  keep(theirs: number, answer: string, places: ReadonlyArray<Backend.BreakpointLocation>): void {
    this.#found.set(theirs, { answer, places })
  }

  /** Forgets the locations of one of the adapter's breakpoints. */
  forget(theirs: number): void {
    this.#found.delete(theirs)
  }

  /** Sets the adapter's number of a breakpoint, and whether it is resolved. */
  set(ours: number, theirs: number | undefined, resolved: boolean): void {
    if (theirs === undefined) this.#theirs.delete(ours)
    else this.#theirs.set(ours, theirs)
    this.settle(ours, resolved)
  }

  /** Sets the adapter's numbers of a breakpoint that the adapter set as several. */
  setAll(ours: number, theirs: ReadonlyArray<number>, resolved: boolean): void {
    const [first, ...more] = theirs
    this.set(ours, first, resolved)
    this.#more.set(ours, more)
  }

  /** Forgets a breakpoint of the manager. */
  drop(ours: number): void {
    this.#theirs.delete(ours)
    this.#more.delete(ours)
    this.#resolved.delete(ours)
  }

  /** Sets the location of a breakpoint; returns whether it changed. */
  place(ours: number, file: string, line: number): boolean {
    const before = this.#places.get(ours)
    this.#places.set(ours, { file, line })
    return before === undefined || before.file !== file || before.line !== line
  }

  /** Returns the adapter's numbers of the breakpoints at a line. */
  theirsAt(file: string, line: number): ReadonlyArray<number> {
    return [...this.#theirs].flatMap(([ours, theirs]) => {
      const place = this.#places.get(ours)
      return place?.file === file && place.line === line ? [theirs] : []
    })
  }

  /** Sets whether a breakpoint is resolved; returns whether that changed. */
  settle(ours: number, resolved: boolean): boolean {
    if (this.#resolved.has(ours) === resolved) return false
    if (resolved) this.#resolved.add(ours)
    else this.#resolved.delete(ours)
    return true
  }

  /** Returns the manager's number for an adapter's; the first if two breakpoints share it. */
  oursOf(theirs: number): number | undefined {
    for (const [ours, known] of this.#theirs) if (known === theirs) return ours
    return undefined
  }

  /** Returns the adapter's number for one of the manager's. */
  theirsOf(ours: number): number | undefined {
    return this.#theirs.get(ours)
  }

  /**
   * Returns the manager's numbers of the breakpoints in a stop. Old adapters name them only in the stop's text:
   * `breakpoint 2.1 3.1`.
   */
  ours(theirs: ReadonlyArray<number>, text: string | undefined): ReadonlyArray<number> {
    const listed = /^breakpoint ((?:\d+\.\d+ ?)+)/.exec(text ?? "")?.[1]?.trim()
    const inText = listed === undefined ? [] : listed.split(/\s+/).map((place) => Number.parseInt(place, 10))
    const named = new Set([...theirs, ...inText])
    return [...this.#theirs]
      .filter(([ours, known]) => named.has(known) || this.#more.get(ours)?.some((other) => named.has(other)) === true)
      .map(([ours]) => ours)
  }
}
