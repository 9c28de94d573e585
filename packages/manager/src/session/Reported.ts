/**
 * Records the output and the stale or refused source files that earlier stop reports of a session have shown, so that each
 * report shows only new ones, and the lists of the debugger that were not read as a whole.
 */
import * as Effect from "effect/Effect"
import type { Listed } from "../ports/Backend.ts"
import type { Journal } from "./Journal.ts"

/** Most children that are remembered; the oldest are forgotten. */
const mostChildren = 1000

/** The contents of the earlier stop reports. */
export class Reported {
  readonly #journal: Journal
  readonly #stale = new Set<string>()
  readonly #refused = new Set<string>()
  readonly #cuts = new Map<Listed, { readonly count: number; readonly stop: number }>()
  #bytes: number
  readonly #children = new Map<number, number>()
  #read: Effect.Effect<void> = Effect.void

  /** `before` belongs to the program's earlier run. Both runs have the same journal. */
  constructor(journal: Journal, before?: Reported) {
    this.#journal = journal
    this.#bytes = before === undefined ? 0 : before.#bytes
  }

  /** Returns the number of output bytes since the previous call. */
  takeOutputBytes(): number {
    const bytes = this.#journal.outputBytes - this.#bytes
    this.#bytes = this.#journal.outputBytes
    return bytes
  }

  /** True if no report has shown yet that this source file is newer than the program. */
  isUnreportedStale(file: string): boolean {
    return !this.#stale.has(file)
  }

  /** Records that a source file was reported as newer than the program. */
  reportStale(file: string): void {
    this.#stale.add(file)
  }

  /** Records that the text of a source file was not shown. Returns true if that was not recorded before. */
  reportRefused(file: string): boolean {
    const isFirst = !this.#refused.has(file)
    this.#refused.add(file)
    return isFirst
  }

  /** Records that the debugger sent more items of a list than are read, at a stop. */
  recordCut(what: Listed, count: number, stop: number): void {
    this.#cuts.set(what, { count, stop })
  }

  /** Returns how many items of a list were not read at a stop. */
  cutAt(what: Listed, stop: number): number {
    const cut = this.#cuts.get(what)
    return cut?.stop === stop ? cut.count : 0
  }

  /** Records the children that the program forked before a stop, or before its end; returns those that are new. */
  recordChildren(pids: ReadonlyArray<number>, stop: number): ReadonlyArray<number> {
    const fresh = pids.filter((pid) => !this.#children.has(pid))
    for (const pid of fresh) this.#children.set(pid, stop)
    for (const oldest of this.#children.keys()) if (this.#children.size > mostChildren) this.#children.delete(oldest)
    return fresh
  }

  /** Returns the children that the program forked, as far as the debugger remembers them; only those before a stop if it is named. */
  children(stop?: number): ReadonlyArray<number> {
    return [...this.#children].flatMap(([pid, at]) => (stop === undefined || at === stop ? [pid] : []))
  }

  /** Sets how to read output that the program writes to files. */
  setOutputReader(read: Effect.Effect<void>): void {
    this.#read = read
  }

  /** Reads the output that the program has written to files so far. */
  readonly readOutput: Effect.Effect<void> = Effect.suspend(() => this.#read)
}
