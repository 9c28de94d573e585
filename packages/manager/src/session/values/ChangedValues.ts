/**
 * Finds variables whose value differs from an earlier stop in the same frame.
 *
 * Texts of debuggers are cut: `{id:1, ...}`. Cut values are compared by their members, as far as these were read. If it is not known
 * whether a value has changed, it is not marked.
 */
import type { Variable } from "@sigtrap/protocol"
import { mask } from "../../model/secrets/Secrets.ts"

/**
 * A value at a stop. `members` are those of a value whose text is cut; `more` is true if it has others. `declaration` identifies the
 * variable: one of the same name in another block is another variable.
 */
export interface SeenValue {
  readonly value: string
  readonly declaration?: string
  readonly members?: ReadonlyMap<string, SeenValue>
  readonly more?: boolean
}

type Values = ReadonlyMap<string, SeenValue>

/** An earlier stop in a frame, with the values at that stop. */
export interface EarlierStop {
  readonly stop: number
  readonly values: Values
}

/** How much is recorded: frames, stops of each frame, and values at each stop. */
interface Limits {
  readonly frames: number
  readonly stops: number
  readonly values: number
}

const frameLimits: Limits = { frames: 256, stops: 20, values: Infinity }

/** Limits for members of values, which are many. */
export const memberLimits: Limits = { frames: 64, stops: 2, values: 200 }

/** True if a text leaves out a part of the value: its end, a member, or all members. */
export const isCut = (text: string): boolean => /\.\.\.|…/.test(text) || / @ 0x[\da-f]+$/.test(text)

const addressOf = (text: string): string | undefined => /^0x[\da-f]+/.exec(text)?.[0]

/** True if texts differ in what both show; undefined if the difference begins where one of them is cut. */
const differInText = (a: string, b: string): boolean | undefined => {
  if (a === b) return isCut(a) ? undefined : false
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  const ends = [a.slice(start), b.slice(start)]
  const isOmitted = ends.some((end) => end === "" || /^\.{0,3}(?:\.|…)/.test(end) || /^[ ,{]*(?:\.\.\.|…)/.test(end))
  const isPreview = ends.includes("") && ends.some((end) => /^ [{"(]/.test(end))
  if (isPreview) return undefined
  return isOmitted && (isCut(a) || isCut(b)) ? undefined : true
}

const differInMembers = (a: SeenValue, b: SeenValue): boolean | undefined => {
  if (a.members === undefined || b.members === undefined) return undefined
  if (a.more !== true && b.more !== true && a.members.size !== b.members.size) return true
  let isKnown = a.more !== true && b.more !== true
  for (const [name, value] of a.members) {
    const other = b.members.get(name)
    if (other === undefined && b.more !== true) return true
    const differs = other === undefined ? undefined : differ(value, other)
    if (differs === true) return true
    if (differs === undefined) isKnown = false
  }
  return isKnown ? false : undefined
}

/** True if two values can be of one variable. */
export const isSameVariable = (a: SeenValue, b: SeenValue): boolean =>
  a.declaration === undefined || b.declaration === undefined || a.declaration === b.declaration

/**
 * True if two values differ, false if they are equal, undefined if it is not known. A masked value is not compared, nor are values
 * of two variables.
 */
export const differ = (a: SeenValue, b: SeenValue): boolean | undefined => {
  if (!isSameVariable(a, b)) return undefined
  if (a.value === mask || b.value === mask) return undefined
  if (addressOf(a.value) !== addressOf(b.value)) return true
  const inText = differInText(a.value, b.value)
  return inText ?? differInMembers(a, b)
}

/** The values that one actor was shown at earlier stops. */
export class ChangedValues {
  /** Earlier stops by frame, the newest last. */
  readonly #frames = new Map<string, ReadonlyArray<EarlierStop>>()
  readonly #limits: Limits

  constructor(limits: Limits = frameLimits) {
    this.#limits = limits
  }

  /**
   * Returns the values of a frame at the previous stop in that frame; with `since`, at the newest stop whose number is at
   * most `since`. Returns undefined if there is no such stop. `mark` must have run at the current stop.
   */
  before(key: string, since?: number): EarlierStop | undefined {
    const earlier = (this.#frames.get(key) ?? []).slice(0, -1)
    return since === undefined ? earlier.at(-1) : earlier.findLast(({ stop }) => stop <= since)
  }

  /**
   * Marks the changed variables of a frame, with their earlier text, and records all values. `key` identifies the activation of
   * the function; `seen` has the members of cut values. Values that were recorded before at this stop are kept.
   */
  mark<V extends Pick<Variable.Variable, "name" | "value">>(
    stop: number,
    key: string,
    variables: ReadonlyArray<V>,
    seen: Values = new Map()
  ): ReadonlyArray<V & Pick<Variable.Variable, "changed" | "old">> {
    const known = this.#frames.get(key) ?? []
    const earlier = known.filter((other) => other.stop !== stop)
    const atThisStop = known.find((other) => other.stop === stop)?.values
    const before = earlier.at(-1)?.values
    this.#frames.delete(key)
    const values = new Map(atThisStop)
    for (const { name, value } of variables) {
      if (values.size >= this.#limits.values && !values.has(name)) continue
      const same = values.get(name)
      values.set(name, seen.get(name) ?? (same?.value === value ? same : { value }))
    }
    this.#frames.set(key, [...earlier, { stop, values }].slice(-this.#limits.stops))
    const oldest = this.#frames.size > this.#limits.frames ? this.#frames.keys().next().value : undefined
    if (oldest !== undefined) this.#frames.delete(oldest)
    return variables.map((variable) => {
      const old = before?.get(variable.name)
      const now = values.get(variable.name)
      return old === undefined || now === undefined || differ(old, now) !== true
        ? variable
        : { ...variable, changed: true, old: old.value }
    })
  }
}
