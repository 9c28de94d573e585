/**
 * Makes text from outside harmless: what a terminal would obey, hide or reorder becomes a visible escape.
 *
 * Program, debugger, sources and paths may contain anything. Control and escape characters, the C1 range, lone
 * surrogates, line separators, and everything Unicode calls ignorable by default (bidirectional marks, zero-width and
 * tag characters, variation selectors) are shown as `\x1b`, `\u202e`, `\u{e0041}`. Newline and tab stay. Printable text
 * stays as it is, so cleaning twice changes nothing. Colour comes from `Doc` alone, after this.
 */
import * as Predicate from "effect/Predicate"

const harmful = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]/gu

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0")

const visible = (character: string): string => {
  if (character === "\r") return "\\r"
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? `\\x${hex(code, 2)}` : code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 1)}}`
}

/** Text with every harmful character as a visible escape; newlines and tabs stay. */
export const text = (input: string): string => input.replace(harmful, visible)

/** The same as one line: newlines become `\n`, too. */
export const line = (input: string): string => text(input).replaceAll("\n", "\\n")

const unit = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => `\\u${hex(character.charCodeAt(index), 4)}`).join("")

/** A JSON text in which harmful characters are JSON escapes: it means the same and is safe to look at. */
export const json = (input: string): string => input.replace(harmful, unit)

/** Data with every string in it, and every key, sanitised. */
export const deep = (data: unknown): unknown => {
  if (typeof data === "string") return text(data)
  if (Array.isArray(data)) return data.map(deep)
  return Predicate.isReadonlyObject(data)
    ? Object.fromEntries(Object.entries(data).map(([key, value]) => [text(key), deep(value)]))
    : data
}
