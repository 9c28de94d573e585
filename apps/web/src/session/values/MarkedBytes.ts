/**
 * The bytes of a value in a piece of memory: where they are, and what is said of them.
 */
import type { Value } from "../../connection/Answers.ts"
import { expressionOf, valueWords } from "../words/ValueWords.ts"
import { cutText } from "../words/Words.ts"

/** A place in memory. */
export interface Place {
  readonly start: bigint
  readonly size: number
}

/** Bytes of a row in Memory. */
const rowSize = 16n

/** Most characters of a value in the sentence. */
const mostOfValue = 60

/** Returns the expressions whose values are the address and the size of a value. */
export const placeExpressions = (expression: string): readonly [string, string] => [
  `&(${expression})`,
  `sizeof(${expression})`
]

/** Returns the place that the values of these expressions name; undefined if they name none. */
export const placeOfAnswers = (address: string | undefined, size: string | undefined): Place | undefined => {
  const start = /^0x[0-9a-f]+/i.exec(address ?? "")?.[0]
  const bytes = /^\d+/.exec(size ?? "")?.[0]
  return start === undefined || bytes === undefined || bytes === "0"
    ? undefined
    : { start: BigInt(start), size: Number(bytes) }
}

/** True if a byte belongs to a place. */
export const isIn = (place: Place | undefined, address: bigint): boolean =>
  place !== undefined && address >= place.start && address < place.start + BigInt(place.size)

/** Returns the address of the row in which a place begins, as rows are drawn. */
export const rowOf = ({ start }: Place): string => `0x${(start - (start % rowSize)).toString(16)}`

/** True if a piece of memory has the first byte of a place. */
export const contains = (start: bigint, length: number, place: Place): boolean =>
  length > 0 && place.start >= start && place.start < start + BigInt(length)

/** Returns what the marked bytes are: `items[2].score, a double: 30.75`. */
export const markedWords = (value: Value): string => {
  const { type } = value
  const article = /^[aeiou]/i.test(type ?? "") ? "an" : "a"
  const words = valueWords(value)
  return `${expressionOf(value)}${type === undefined ? "" : `, ${article} ${type}`}: ${cutText(words, mostOfValue)}`
}
