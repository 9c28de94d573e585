/**
 * Makes untrusted text safe to print: characters that a terminal obeys, hides or reorders become visible escapes.
 *
 * Program, debugger, sources and paths may contain anything. Control and escape characters, the C1 range, lone
 * surrogates, line separators, and everything Unicode calls ignorable by default (bidirectional marks, zero-width and
 * tag characters, variation selectors) are shown as `\x1b`, `\u202e`, `\u{e0041}`. Newlines, tabs and printable text do
 * not change, so sanitising twice is the same as once. `Doc` adds colours afterwards.
 */
import { Lazy } from "@sigtrap/protocol"
import * as Predicate from "effect/Predicate"

const harmful = Lazy.make(
  () => /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]/gu
)

/** A text without any of them; most texts are. */
const harmless = /^[\t\n\x20-\x7e]*$/

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0")

const visible = (character: string): string => {
  if (character === "\r") return "\\r"
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? `\\x${hex(code, 2)}` : code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 1)}}`
}

/** Replaces harmful characters by visible escapes; keeps newlines and tabs. */
export const text = (input: string): string => (harmless.test(input) ? input : input.replace(harmful(), visible))

const colours = Lazy.make(() => /\p{C}\[[0-9;:]*m/gu)

/** Removes the colours of a message (SGR sequences). */
export const withoutColours = (input: string): string =>
  input.includes("\u001b[") ? input.replace(colours(), "") : input

/** Replaces harmful characters of one line: newlines become `\n` too. */
export const line = (input: string): string => text(input).replaceAll("\n", "\\n")

const unit = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => `\\u${hex(character.charCodeAt(index), 4)}`).join("")

/** Replaces harmful characters in JSON text by JSON escapes: the same value, safe to print. */
export const json = (input: string): string => (harmless.test(input) ? input : input.replace(harmful(), unit))

/** Sanitises every string and key of a JSON value. */
export const deep = (data: unknown): unknown => {
  if (typeof data === "string") return text(data)
  if (Array.isArray(data)) return data.map(deep)
  return Predicate.isReadonlyObject(data)
    ? Object.fromEntries(Object.entries(data).map(([key, value]) => [text(key), deep(value)]))
    : data
}
