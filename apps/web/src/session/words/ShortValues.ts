/**
 * Texts of values as the page shows them, shorter than the debugger writes them.
 */
import { withShortDecimals } from "./Decimals.ts"
import { cutText } from "./Words.ts"

/** Matches a pointer with what it points to, as far as that was read. */
const pointerWithTarget = /^0x[0-9a-f]{5,} (?=[{"\d'-])/i

/** Matches a text in quotes, also one that was cut, or what begins a hexadecimal number with leading zeros. */
const zeros = /"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$)|\b0x0+(?=[0-9a-f]+\b)/gi

const withoutZeros = (value: string): string => value.replace(zeros, (found) => (/^["']/.test(found) ? found : "0x"))

/** Matches what Python writes for an object without a text of its own: `<module.Item object at 0x7f7fc8f8a8d0>`. */
const pythonObject = /<(?:[\w.]+\.)?(\w+) object at 0x[0-9a-f]*?([0-9a-f]{1,4})>/gi

/** Shortens the module and the address of objects of Python, outside texts: `<Item …a8d0>`. */
export const withShortObjects = (value: string): string =>
  /^["']/.test(value) ? value : value.replace(pythonObject, "<$1 …$2>")

/** Matches a type of Go. Delve writes it before the value too. */
const goType = /^(?:\*|\[\d*\]|map\[|chan |func\()|^(?:[\w-]+\/)*\w+\.\w+$/

/** Returns a value without the type before it; of a pointer with the sign of what it points to. */
const withoutType = (value: string, type: string | undefined): string =>
  type !== undefined && goType.test(type) && value.startsWith(`${type} `)
    ? `${type.startsWith("*") ? "→ " : ""}${value.slice(type.length + 1)}`
    : value

/** Matches what a debugger has for a value that it cannot read. */
const notRead = /^<(?:unreadable|cannot access memory(?: at 0x[\da-f]+)?|(?<words>optimized out))>$/

/**
 * Returns the text of a value without the address of a pointer whose target was read and without its type, addresses without leading
 * zeros, and decimals without digits that they do not need: `→ {n:46, next:0x0}`.
 */
export const withoutAddress = (value: string, type?: string): string => {
  const unread = notRead.exec(value)
  return unread === null
    ? withShortDecimals(withoutZeros(withoutType(value, type).replace(pointerWithTarget, "→ ")), type)
    : (unread.groups?.["words"] ?? "unreadable")
}

/** Shortens a pointer without a target to its last digits: `0x…e550`; an object of Python likewise; other values to 40 characters. */
export const shortened = (whole: string, type?: string): string => {
  const value = withShortObjects(withoutAddress(whole, type))
  const pointer = /^0x[0-9a-f]{5,}\b/i.exec(value)?.[0]
  if (pointer !== undefined) return `0x…${pointer.slice(-4)}`
  return cutText(value, 40)
}

/**
 * Returns the old value as it is shown beside the new one: with the address of a pointer only where nothing else tells it from the new
 * one. Undefined for one of which less was read than of the new one, and for the same text: what changed is in a part that neither shows.
 */
export const oldBeside = (value: string, old: string, type?: string): string | undefined => {
  if (old === value) return undefined
  if (old.includes("{...}") && !value.includes("{...}")) return undefined
  const pointer = /^0x[0-9a-f]{5,} /i.exec(value)?.[0]
  if (pointer !== undefined && old.startsWith(pointer))
    return withShortDecimals(withoutZeros(old.slice(pointer.length)), type)
  const short = withoutAddress(old, type)
  return short === withoutAddress(value, type) ? withShortDecimals(withoutZeros(old), type) : short
}
