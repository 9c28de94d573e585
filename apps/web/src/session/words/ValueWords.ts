/**
 * A value in the words of the page, and the tone of its text.
 */
import type { PastStop, Value } from "../../connection/Answers.ts"
import { withoutAddress, withShortObjects } from "./ShortValues.ts"

/** The sentences for values that cannot be read. */
const attributeWords: { readonly [attribute: string]: string } = {
  "optimized-out": "optimized out",
  uninitialized: "not initialised",
  masked: "hidden, name looks secret"
}

/** The sentence for a value in memory that cannot be read, with its address if that is known. A pointer to such memory has a value. */
const unreadableWords = (value: string): string | undefined => {
  const found = /^<(?:unreadable|cannot access memory(?<at> at 0x[\da-f]+)?)>$/.exec(value)
  return found === null ? undefined : `cannot be read${found.groups?.["at"] ?? ""}`
}

/** Returns what a value is called in a command. */
export const expressionOf = (value: Value): string => value.expression ?? value.name

/**
 * Returns what the value of a row is called in a command. The name of a member of another value has no meaning in a command: the first
 * part of an element of a map is called `first`, as a variable may be.
 */
export const expressionAt = (value: Value, depth: number): string | undefined =>
  depth === 0 ? expressionOf(value) : value.expression

/** True for a value that is hidden because of its name. */
export const isMasked = ({ attributes = [] }: Value): boolean => attributes.includes("masked")

/**
 * Returns a value as the page shows it: addresses without leading zeros and decimals without digits that they do not need, also inside
 * another value, and a sentence for what cannot be read.
 */
export const valueWords = ({ attributes = [], type, value }: Value): string => {
  const [word] = attributes.flatMap((one) => attributeWords[one] ?? [])
  const unread = attributes.includes("unreadable") ? unreadableWords(value) : undefined
  return word ?? unread ?? withoutAddress(value, type)
}

/** Returns a value as its row shows it, where the type is beside it: an object of Python as `<Item …a8d0>`. */
export const rowWords = (value: Value): string => withShortObjects(valueWords(value))

/** Matches text from right to left: Hebrew, Arabic and their relatives (characters of the bidirectional classes R and AL). */
const rightToLeft = /[\u{590}-\u{8ff}\u{fb1d}-\u{fdff}\u{fe70}-\u{fefc}\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Returns the class of a text that may be cut: one with words from right to left is cut after its first words, not at an edge. */
export const cutClass = (text: string): string => (rightToLeft.test(text) ? " cutByWords" : "")

/** Returns the tone of a value: a text, a number, a sentence, or none of them. */
export const toneOf = ({ attributes = [], value }: Value): "str" | "num" | "none" | "plain" => {
  if (attributes.some((one) => one !== "read-only" && one !== "lazy")) return "none"
  return /^["']/.test(value) ? "str" : /^-?[\d.]+(?:e[+-]?\d+)?(?:$| ')/i.test(value) ? "num" : "plain"
}

/**
 * Returns variables with what they were at the stop before, as the list of stops says it. A report compares with the last stop that this
 * page has read, which is an earlier one if stops follow each other fast.
 */
export const withOld = (values: ReadonlyArray<Value>, changed: PastStop["changed"]): ReadonlyArray<Value> =>
  changed.length === 0
    ? values
    : values.map((value) => {
        const found = changed.find(({ name }) => name === value.name)
        return found === undefined || found.new !== value.value ? value : { ...value, changed: true, old: found.old }
      })

/** Returns the values whose name has a text in it, in either case; all without a text. */
export const matching = (values: ReadonlyArray<Value>, text: string | undefined): ReadonlyArray<Value> =>
  text === undefined || text === ""
    ? values
    : values.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
