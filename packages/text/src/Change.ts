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

/** Returns a text from the member that contains `at`, or from shortly before `at` if the member would hide it. */
const from = (text: string, at: number, limit: number): string => {
  const [comma, brace] = [text.lastIndexOf(", ", at), text.lastIndexOf("{", at)]
  const start = Math.max(comma < 0 ? 0 : comma + 2, brace + 1)
  return `…${text.slice(start > at - limit + before ? start : at - before)}`
}

/** Returns `OLD -> NEW`, each of at most `limit` characters. The part that differs is shown, wherever it is. */
export const text = (old: string, now: string, limit: number): string => {
  const [one, other] = [shortAddresses(old), shortAddresses(now)]
  const at = alike(one, other)
  const isHidden = at >= limit - before && (one.length > limit || other.length > limit) && one !== other
  const [first, second] = isHidden ? [from(one, at, limit), from(other, at, limit)] : [one, other]
  return `${Doc.cut(first, limit)} -> ${Doc.cut(second, limit)}`
}
