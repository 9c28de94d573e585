/**
 * What a session knows of its watchpoints beside their places: how their values are read, what they were last, and which
 * guard stands at the end of a local's frame.
 */

/** A watchpoint on the value of an expression. */
export interface Watch {
  readonly id: number
  readonly expression: string
  /** An expression that reads the value wherever the program stands. */
  readonly reads: string
  readonly address: string
  /** The value when it was last looked at. */
  value: string | undefined
  /** The number of the guard at the end of its frame, and that frame's function. */
  readonly ends?: { readonly guard: number; readonly function: string }
}

/** The watchpoints of one session. */
export class Watches {
  readonly #watches = new Map<number, Watch>()
  /** The stop whose changes were read, so that asking twice answers the same. */
  #read:
    | { readonly stop: number; readonly id: number; readonly old: string | undefined; readonly value: string }
    | undefined

  set(watch: Watch): void {
    this.#watches.set(watch.id, watch)
  }

  get(id: number): Watch | undefined {
    return this.#watches.get(id)
  }

  /** Notes the value at a stop; answers with the one before. */
  changed(stop: number, watch: Watch, value: string): string | undefined {
    if (this.#read?.stop === stop && this.#read.id === watch.id) return this.#read.old
    this.#read = { stop, id: watch.id, old: watch.value, value }
    watch.value = value
    return this.#read.old
  }

  /** Forgets watchpoints that were removed; answers with the guards that are left without a purpose. */
  forget(ids: ReadonlyArray<number>): ReadonlyArray<number> {
    return ids.flatMap((id) => {
      const ends = this.#watches.get(id)?.ends
      this.#watches.delete(id)
      return ends === undefined ? [] : [ends.guard]
    })
  }

  /** The watchpoint whose guard was hit, and the words to say about its end. */
  ended(guard: number): { readonly id: number; readonly text: string } | undefined {
    for (const watch of this.#watches.values()) {
      if (watch.ends?.guard !== guard) continue
      this.#watches.delete(watch.id)
      return { id: watch.id, text: `${watch.id} on ${watch.expression} ended: ${watch.ends.function} returned` }
    }
    return undefined
  }
}
