/**
 * What the debugger said of a session beside its events: the lists that were not read as a whole, and the children of the
 * program, and whether it may have missed breakpoints. Also reads output that the program writes to files.
 */
import * as Effect from "effect/Effect"
import type { Listed } from "../../ports/Backend.ts"

/** Most children that are remembered; the oldest are forgotten. */
const mostChildren = 1000

/** What the debugger said beside its events. */
export class DebuggerNotes {
  readonly #cuts = new Map<Listed, { readonly count: number; readonly stop: number }>()
  readonly #children = new Map<number, number>()
  #read: Effect.Effect<void> = Effect.void
  /** True if the program may have passed breakpoints that the debugger did not notice. */
  mayMiss = false

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
