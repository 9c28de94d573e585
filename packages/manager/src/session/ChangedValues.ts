/**
 * Which variables have another value than at an earlier stop in the same frame.
 */
import type { Variable } from "@sigtrap/protocol"
import { mask } from "../model/Secrets.ts"

type Values = ReadonlyMap<string, string>

/** An earlier stop at which a frame was seen, with the values of then. */
export interface Seen {
  readonly stop: number
  readonly values: Values
}

/** Most frames that are remembered, and most stops of each. */
const limit = 256
const stops = 20

/** A value that is masked in one of the two tells nothing about the other. */
const same = (a: string, b: string) => a === b || a === mask || b === mask

/** The memory of one session. */
export class ChangedValues {
  /** By frame, the stops at which it was seen, the newest last. */
  readonly #frames = new Map<string, ReadonlyArray<Seen>>()

  /**
   * What a frame that was marked now was at the last stop before, or at `since` or the last stop before that; nothing
   * when it had not been seen then.
   */
  before(key: string, since?: number): Seen | undefined {
    const earlier = (this.#frames.get(key) ?? []).slice(0, -1)
    return since === undefined ? earlier.at(-1) : earlier.findLast(({ stop }) => stop <= since)
  }

  /** Marks the changed ones among the variables of a frame. `key` is the same for the same activation of a function. */
  mark(stop: number, key: string, variables: ReadonlyArray<Variable.Variable>): ReadonlyArray<Variable.Variable> {
    const earlier = (this.#frames.get(key) ?? []).filter((seen) => seen.stop !== stop)
    const before = earlier.at(-1)?.values
    this.#frames.delete(key)
    const values = new Map(variables.map((variable) => [variable.name, variable.value]))
    this.#frames.set(key, [...earlier, { stop, values }].slice(-stops))
    const oldest = this.#frames.size > limit ? this.#frames.keys().next().value : undefined
    if (oldest !== undefined) this.#frames.delete(oldest)
    return variables.map((variable) => {
      const old = before?.get(variable.name)
      return old === undefined || same(old, variable.value) ? variable : { ...variable, changed: true }
    })
  }
}
