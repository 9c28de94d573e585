/**
 * A change of a value on one line: `10 -> 11`.
 */
import * as Doc from "./Doc.ts"

/** Characters before the first difference that are shown. */
const before = 8

/** Removes leading zeros of addresses. */
export const shortAddresses = (text: string): string => text.replaceAll(/\b0x0+(?=[0-9a-fA-F])/g, "0x")

/** Returns the number of characters with which two texts begin alike. */
const alike = (one: string, other: string): number => {
  let count = 0
  while (count < one.length && one[count] === other[count]) count += 1
  return count
}

/** Returns a text from the last member that begins `before` characters before `at`, or from there. */
const from = (text: string, at: number): string => {
  const start = Math.max(text.lastIndexOf(", ", at) + 2, text.lastIndexOf("{", at) + 1)
  return `…${text.slice(start > at - 4 * before ? start : at - before)}`
}

/** Returns `OLD -> NEW`, each of at most `limit` characters. The part that differs is shown, wherever it is. */
export const text = (old: string, now: string, limit: number): string => {
  const [one, other] = [shortAddresses(old), shortAddresses(now)]
  const at = alike(one, other)
  const isHidden = at >= limit - before && (one.length > limit || other.length > limit) && one !== other
  const [first, second] = isHidden ? [from(one, at), from(other, at)] : [one, other]
  return `${Doc.cut(first, limit)} -> ${Doc.cut(second, limit)}`
}
