/**
 * The watchpoints of a session: how their values are read, the last values, and the internal breakpoint at the end of a
 * local variable's frame.
 */

/** A watchpoint on the value of an expression. */
export interface Watch {
  readonly id: number
  readonly expression: string
  /** An expression that reads the value in any frame. */
  readonly reads: string
  readonly address: string
  /** The value at the last read. */
  value: string | undefined
  /** The internal breakpoint at the end of its frame, and that frame's function. */
  readonly ends?: { readonly breakpoint: number; readonly function: string }
}

/** The watchpoints of one session. */
export class Watches {
  readonly #watches = new Map<number, Watch>()
  /** The newest change, so that a second request at the same stop gets the same answer. */
  #read:
    | { readonly stop: number; readonly id: number; readonly old: string | undefined; readonly value: string }
    | undefined

  set(watch: Watch): void {
    this.#watches.set(watch.id, watch)
  }

  get(id: number): Watch | undefined {
    return this.#watches.get(id)
  }

  /** Records the value at a stop and returns the previous one. */
  changed(stop: number, watch: Watch, value: string): string | undefined {
    if (this.#read?.stop === stop && this.#read.id === watch.id) return this.#read.old
    this.#read = { stop, id: watch.id, old: watch.value, value }
    watch.value = value
    return this.#read.old
  }

  /** Forgets removed watchpoints and returns their internal breakpoints. */
  forget(ids: ReadonlyArray<number>): ReadonlyArray<number> {
    return ids.flatMap((id) => {
      const ends = this.#watches.get(id)?.ends
      this.#watches.delete(id)
      return ends === undefined ? [] : [ends.breakpoint]
    })
  }

  /** Forgets the watchpoint of an internal breakpoint that was hit, and returns it with a description of its end. */
  ended(breakpoint: number): { readonly id: number; readonly text: string } | undefined {
    for (const watch of this.#watches.values()) {
      if (watch.ends?.breakpoint !== breakpoint) continue
      this.#watches.delete(watch.id)
      return { id: watch.id, text: `${watch.id} on ${watch.expression} ended: ${watch.ends.function} returned` }
    }
    return undefined
  }
}
