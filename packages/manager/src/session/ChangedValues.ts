/**
 * Finds variables whose value differs from an earlier stop in the same frame.
 */
import type { Variable } from "@sigtrap/protocol"
import { mask } from "../model/Secrets.ts"

type Values = ReadonlyMap<string, string>

/** An earlier stop in a frame, with the values at that stop. */
export interface Seen {
  readonly stop: number
  readonly values: Values
}

/** Maximum number of frames that are remembered, and of stops of each. */
const limit = 256
const stops = 20

/** True if a value ends in `...}` where the other has more: lldb-dap stops a summary after 10 ms, on a busy machine early. */
const isCut = (a: string, b: string) => a.endsWith("...}") && b.startsWith(a.slice(0, -"...}".length))

/** True if two values are equal as far as both are known. A masked value equals any other. */
export const same = (a: string, b: string): boolean => a === b || a === mask || b === mask || isCut(a, b) || isCut(b, a)

/** The values of one session at earlier stops. */
export class ChangedValues {
  /** Earlier stops by frame, the newest last. */
  readonly #frames = new Map<string, ReadonlyArray<Seen>>()

  /**
   * Returns the values of a frame at the previous stop in it, or at the last one up to `since`; undefined if there is
   * none. The frame must be marked at the current stop.
   */
  before(key: string, since?: number): Seen | undefined {
    const earlier = (this.#frames.get(key) ?? []).slice(0, -1)
    return since === undefined ? earlier.at(-1) : earlier.findLast(({ stop }) => stop <= since)
  }

  /** Marks the changed variables of a frame and records all values. `key` identifies the activation of the function. */
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
