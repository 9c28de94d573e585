/**
 * Values that were read at one stop: those of expressions, and pages of children. The program is stopped, so reading them again
 * gives the same. What may change the program clears them.
 */
import * as Effect from "effect/Effect"
import type { Value } from "../../ports/Backend.ts"

/** Maximum number of values that are kept; the oldest reading is dropped first. */
const limit = 5000

/** The values of one stop. */
export class ReadValues {
  readonly #known = new Map<string, ReadonlyArray<Value>>()
  #count = 0
  /** Increases when the values are cleared: a reading that began before is not kept. */
  #clears = 0

  /** Returns the value of an expression in a frame. A value without members costs little and is read again. */
  expression<E>(frame: number, expression: string, read: Effect.Effect<Value, E>): Effect.Effect<Value, E> {
    return Effect.flatMap(
      this.#once(
        `= ${frame} ${expression}`,
        Effect.map(read, (value) => [value]),
        ([value]) => value?.handle !== 0
      ),
      ([value]) => (value === undefined ? read : Effect.succeed(value))
    )
  }

  /** Returns a page of children. */
  page<E>(
    parent: number,
    start: number,
    count: number,
    read: Effect.Effect<ReadonlyArray<Value>, E>
  ): Effect.Effect<ReadonlyArray<Value>, E> {
    return this.#once(`${parent} ${start} ${count}`, read, () => true)
  }

  /** Drops all values. */
  clear(): void {
    this.#known.clear()
    this.#count = 0
    this.#clears += 1
  }

  #once<E>(
    key: string,
    read: Effect.Effect<ReadonlyArray<Value>, E>,
    keeps: (values: ReadonlyArray<Value>) => boolean
  ): Effect.Effect<ReadonlyArray<Value>, E> {
    return Effect.suspend(() => {
      const known = this.#known.get(key)
      if (known !== undefined) return Effect.succeed(known)
      const clears = this.#clears
      return Effect.map(read, (values) => {
        if (clears === this.#clears && keeps(values)) this.#keep(key, values)
        return values
      })
    })
  }

  #keep(key: string, values: ReadonlyArray<Value>): void {
    this.#known.set(key, values)
    this.#count += values.length + 1
    for (const [oldest, dropped] of this.#known) {
      if (this.#count <= limit) return
      this.#known.delete(oldest)
      this.#count -= dropped.length + 1
    }
  }
}
