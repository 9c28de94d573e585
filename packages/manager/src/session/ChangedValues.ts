/**
 * Finds variables whose value differs from an earlier stop in the same frame.
 */
import type { Variable } from "@sigtrap/protocol"
import { mask } from "../model/Secrets.ts"

type Values = ReadonlyMap<string, string>

/** An earlier stop in a frame, with the values at that stop. */
export interface EarlierStop {
  readonly stop: number
  readonly values: Values
}

/** Maximum number of frames that are recorded. */
const maxFrames = 256

/** Maximum number of stops that are recorded per frame. */
const maxStops = 20

/** True if `a` is a truncated form of `b`, ending in `...}`. lldb-dap truncates a summary that takes longer than 10 ms. */
const isTruncated = (a: string, b: string) => a.endsWith("...}") && b.startsWith(a.slice(0, -"...}".length))

/** True if two values are equal. A truncated value equals the whole one; a masked value equals every value. */
export const same = (a: string, b: string): boolean =>
  a === b || a === mask || b === mask || isTruncated(a, b) || isTruncated(b, a)

/** The values of one session at earlier stops. */
export class ChangedValues {
  /** Earlier stops by frame, the newest last. */
  readonly #frames = new Map<string, ReadonlyArray<EarlierStop>>()

  /**
   * Returns the values of a frame at the previous stop in that frame; with `since`, at the newest stop whose number is at
   * most `since`. Returns undefined if there is no such stop. `mark` must have run at the current stop.
   */
  before(key: string, since?: number): EarlierStop | undefined {
    const earlier = (this.#frames.get(key) ?? []).slice(0, -1)
    return since === undefined ? earlier.at(-1) : earlier.findLast(({ stop }) => stop <= since)
  }

  /** Marks the changed variables of a frame and records all values. `key` identifies the activation of the function. */
  mark(stop: number, key: string, variables: ReadonlyArray<Variable.Variable>): ReadonlyArray<Variable.Variable> {
    const earlier = (this.#frames.get(key) ?? []).filter((seen) => seen.stop !== stop)
    const before = earlier.at(-1)?.values
    this.#frames.delete(key)
    const values = new Map(variables.map((variable) => [variable.name, variable.value]))
    this.#frames.set(key, [...earlier, { stop, values }].slice(-maxStops))
    const oldest = this.#frames.size > maxFrames ? this.#frames.keys().next().value : undefined
    if (oldest !== undefined) this.#frames.delete(oldest)
    return variables.map((variable) => {
      const old = before?.get(variable.name)
      return old === undefined || same(old, variable.value) ? variable : { ...variable, changed: true }
    })
  }
}
