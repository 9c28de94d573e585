/**
 * The watchpoints of a session, with the last value of each. A watchpoint on a local variable has an internal breakpoint that
 * ends it when the function returns.
 */

/** A watchpoint on the value of an expression. */
export interface Watch {
  readonly id: number
  readonly expression: string
  /** Expression that reads the watched memory, valid in every frame. */
  readonly readExpression: string
  readonly address: string
  /** The value at the last read. */
  value: string | undefined
  /** For a local variable: the internal breakpoint at the return address, and the function that returns there. */
  readonly atReturn?: { readonly breakpoint: number; readonly function: string }
}

/** The watchpoints of one session. */
export class Watches {
  readonly #watches = new Map<number, Watch>()
  /** The newest change, returned again by a second call at the same stop. */
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

  /** Removes watchpoints and returns their internal breakpoints. */
  forget(ids: ReadonlyArray<number>): ReadonlyArray<number> {
    return ids.flatMap((id) => {
      const atReturn = this.#watches.get(id)?.atReturn
      this.#watches.delete(id)
      return atReturn === undefined ? [] : [atReturn.breakpoint]
    })
  }

  /** Removes the watchpoint whose internal breakpoint was hit. Returns its number and the description of the stop. */
  ended(breakpoint: number): { readonly id: number; readonly text: string } | undefined {
    for (const watch of this.#watches.values()) {
      if (watch.atReturn?.breakpoint !== breakpoint) continue
      this.#watches.delete(watch.id)
      return { id: watch.id, text: `${watch.id} on ${watch.expression} ended: ${watch.atReturn.function} returned` }
    }
    return undefined
  }
}
