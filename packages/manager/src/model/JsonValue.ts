/**
 * Converts a value to JSON: members become keys, elements a list, numbers and strings themselves. The address that a
 * debugger writes before a string is left out. A pointer to anything but a string stays as text.
 */
import type { Variable } from "@sigtrap/protocol"

const element = /^\[\d+\]$/

const text = /"((?:[^"\\]|\\.)*)"(?:\.\.\.|…)?$/s

const escapes: { readonly [letter: string]: string } = { n: "\n", t: "\t", r: "\r", "0": "\0" }

/** A value without members. */
const plain = (value: string): unknown => {
  if (value === "true" || value === "false") return value === "true"
  // LLDB writes a character with or without its number.
  const [, number] = /^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?: '.*')?$/is.exec(value) ?? []
  if (number !== undefined) {
    const found = Number(number)
    return /^-?\d+$/.test(number) && !Number.isSafeInteger(found) ? number : found
  }
  const [, letter] = /^'((?:[^'\\]|\\.)*)'$/s.exec(value) ?? []
  const [, written] = text.exec(value) ?? []
  const found = letter ?? written
  return found === undefined ? value : found.replaceAll(/\\(.)/g, (_, one: string) => escapes[one] ?? one)
}

/** Returns the value for `JSON.stringify`. */
export const of = ({ children, value }: Variable.Variable): unknown => {
  if (children === undefined || children.length === 0 || text.test(value)) return plain(value)
  if (children.every(({ name }) => element.test(name))) return children.map(of)
  return Object.fromEntries(children.map((child) => [child.name, of(child)]))
}
