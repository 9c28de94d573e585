/**
 * The values at the ends of source lines: of variables of the shown frame that were read already.
 */
import type { Value } from "../connection/Answers.ts"
import type { Code } from "./ScopeLines.ts"

/** A value at the end of a line. */
export interface InlineValue {
  readonly name: string
  readonly value: string
  readonly old?: string
}

/** Most values on a line. */
const most = 3

/** Matches a pointer with what it points to, as far as that was read. */
const pointerWithTarget = /^0x[0-9a-f]{5,} (?=[{"\d'-])/i

/** Returns the text of a value without the address of a pointer whose target was read: `→ {n:46, peak:82}`. */
export const withoutAddress = (value: string): string => value.replace(pointerWithTarget, "→ ")

/** Shortens a pointer without a target to its last digits: `0x…e550`; other values to 40 characters. */
export const shortened = (whole: string): string => {
  const value = withoutAddress(whole).replace(/^0x0+(?=[0-9a-f])/i, "0x")
  const pointer = /^0x[0-9a-f]{5,}\b/i.exec(value)?.[0]
  if (pointer !== undefined) return `0x…${pointer.slice(-4)}`
  return value.length > 40 ? `${value.slice(0, 39)}…` : value
}

/**
 * Returns the old value as it is shown beside the new one: without the address if a pointer stayed the same. Undefined for one of
 * which less was read than of the new one.
 */
export const oldBeside = (value: string, old: string): string | undefined => {
  if (old.includes("{...}") && !value.includes("{...}")) return undefined
  const pointer = /^0x[0-9a-f]{5,} /i.exec(value)?.[0]
  return pointer !== undefined && old.startsWith(pointer) ? old.slice(pointer.length) : old
}

/** Returns the old value at the end of a line; none if the shortened values do not differ, such as those of one pointer. */
const oldOf = ({ changed, old, value }: Value) =>
  changed !== true || old === undefined || oldBeside(value, old) === undefined || shortened(old) === shortened(value)
    ? {}
    : { old: shortened(old) }

const isReadable = ({ attributes = [] }: Value): boolean =>
  !attributes.some((one) => ["optimized-out", "unknown", "unreadable", "masked", "uninitialized"].includes(one))

const isPointer = ({ value }: Value): boolean => value.startsWith("0x")

/** Returns the lines where a name occurs, the last one first: at most the last two. */
const linesOf = (name: string, code: Code, scope: ReadonlyArray<number>): ReadonlyArray<number> => {
  const word = new RegExp(`(?<![\\w.>])${name.replaceAll(/[^\w]/g, "\\$&")}(?!\\w)`)
  const found: Array<number> = []
  for (const line of scope) {
    if (word.test(code(line - 1))) found.push(line)
    if (found.length === 2) break
  }
  return found
}

/**
 * Returns the values by line. Each name is shown on the last line at or above the current one where it occurs. One that occurs on
 * the current line is also shown on the last line above it; a pointer is shown only there, because it says less. `scope` are the lines
 * of the function, the current one first.
 */
export const inlineValues = (
  code: Code,
  scope: ReadonlyArray<number>,
  current: number,
  values: ReadonlyArray<Value>
): ReadonlyMap<number, ReadonlyArray<InlineValue>> => {
  const found = new Map<number, Array<InlineValue>>()
  for (const value of values.filter(isReadable)) {
    const [last, above] = linesOf(value.name, code, scope)
    const chosen = last !== current ? [last] : above === undefined ? [last] : isPointer(value) ? [above] : [last, above]
    const old = oldOf(value)
    for (const line of chosen.filter((one) => one !== undefined)) {
      const row = found.get(line) ?? []
      if (row.length < most) row.push({ name: value.name, value: shortened(value.value), ...old })
      found.set(line, row)
    }
  }
  return found
}
