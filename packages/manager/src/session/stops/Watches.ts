/**
 * The watchpoints of a session, with the values that were read of each. A watchpoint on a local variable has an internal
 * breakpoint that ends it when the function returns.
 */

/** When a value is read: the number of the stop, the count of writes by clients there, and of hits of the watchpoint. */
export interface Moment {
  readonly stop: number
  readonly writes: number
  readonly hits: number
}

/** A watchpoint on the value of an expression. */
export interface Watch {
  readonly id: number
  readonly expression: string
  /** Expression that reads the watched memory, valid in every frame. */
  readonly readExpression: string
  readonly address: string
  /** For a local variable: the internal breakpoint at the return address, and the function that returns there. */
  readonly atReturn?: { readonly breakpoint: number; readonly function: string }
}

/** A value read at a stop. `old` is that of the resume before the stop. */
export interface Reading {
  readonly old: string | undefined
  readonly value: string | undefined
  /** True if neither a client wrote to memory at the stop before the value was read, nor the watchpoint was hit since `old`. */
  readonly isQuiet: boolean
  readonly moment: Moment
}

/** The watchpoints of one session. */
export class Watches {
  readonly #watches = new Map<number, Watch>()
  readonly #readings = new Map<number, Reading>()

  /** Adds a watchpoint, with its value at a stop. */
  set(watch: Watch, value: string | undefined, moment: Moment): void {
    this.#watches.set(watch.id, watch)
    this.#readings.set(watch.id, { old: value, value, isQuiet: false, moment })
  }

  get(id: number): Watch | undefined {
    return this.#watches.get(id)
  }

  /** All watchpoints. */
  all(): ReadonlyArray<Watch> {
    return [...this.#watches.values()]
  }

  /** Returns the newest reading of a watchpoint. */
  reading(id: number): Reading | undefined {
    return this.#readings.get(id)
  }

  /** Records a value. */
  read(id: number, value: string | undefined, moment: Moment): Reading {
    const before = this.#readings.get(id)
    const isAgain = before?.moment.stop === moment.stop
    const reading: Reading = {
      old: isAgain ? before.old : before?.value,
      value,
      isQuiet: isAgain ? before.isQuiet : moment.writes === 0 && before?.moment.hits === moment.hits,
      moment
    }
    this.#readings.set(id, reading)
    return reading
  }

  /** Removes watchpoints and returns their internal breakpoints. */
  forget(ids: ReadonlyArray<number>): ReadonlyArray<number> {
    return ids.flatMap((id) => {
      const atReturn = this.#watches.get(id)?.atReturn
      this.#remove(id)
      return atReturn === undefined ? [] : [atReturn.breakpoint]
    })
  }

  /** Removes the watchpoint whose internal breakpoint was hit. Returns its number and the description of the stop. */
  ended(breakpoint: number): { readonly id: number; readonly text: string } | undefined {
    for (const watch of this.#watches.values()) {
      if (watch.atReturn?.breakpoint !== breakpoint) continue
      this.#remove(watch.id)
      return { id: watch.id, text: `${watch.id} on ${watch.expression} ended: ${watch.atReturn.function} returned` }
    }
    return undefined
  }

  #remove(id: number): void {
    this.#watches.delete(id)
    this.#readings.delete(id)
  }
}
