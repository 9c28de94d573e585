/**
 * Which variables have another value than at the previous stop in the same frame.
 */
import type { Variable } from "@sigtrap/protocol"

interface Seen {
  readonly stop: number
  readonly values: ReadonlyMap<string, string>
  /** The stop before `stop` at which the frame was seen. */
  readonly since: number | undefined
  /** The values of the stop before `stop`, to which those of `stop` are compared. */
  readonly before: ReadonlyMap<string, string>
}

/** Most frames that are remembered. */
const limit = 256

/** The memory of one session. */
export class Changes {
  readonly #frames = new Map<string, Seen>()

  /** What a frame was compared with when it was marked last; nothing when it had not been seen before. */
  before(key: string): { readonly stop: number; readonly values: ReadonlyMap<string, string> } | undefined {
    const seen = this.#frames.get(key)
    return seen?.since === undefined ? undefined : { stop: seen.since, values: seen.before }
  }

  /** Marks the changed ones among the variables of a frame. `key` is the same for the same activation of a function. */
  mark(stop: number, key: string, variables: ReadonlyArray<Variable.Variable>): ReadonlyArray<Variable.Variable> {
    const seen = this.#frames.get(key)
    const before = seen === undefined ? new Map<string, string>() : seen.stop === stop ? seen.before : seen.values
    const values = new Map(variables.map((variable) => [variable.name, variable.value]))
    this.#frames.delete(key)
    const since = seen?.stop === stop ? seen.since : seen?.stop
    this.#frames.set(key, { stop, since, values, before })
    const oldest = this.#frames.size > limit ? this.#frames.keys().next().value : undefined
    if (oldest !== undefined) this.#frames.delete(oldest)
    return variables.map((variable) => {
      const old = before.get(variable.name)
      return old === undefined || old === variable.value ? variable : { ...variable, changed: true }
    })
  }
}
