/**
 * The names that a pattern matches, if they are few and the pattern consists of literal text, groups and `?` only.
 *
 * GDB can wait for a library with a function of a known name, but not with one that matches a pattern.
 */

/** Most names of a pattern. */
const most = 32

/** A part of a pattern that was read: the texts that it matches, and the position behind it. */
interface Part {
  readonly texts: ReadonlyArray<string>
  readonly end: number
}

const joined = (first: ReadonlyArray<string>, second: ReadonlyArray<string>) =>
  first.flatMap((start) => second.map((end) => `${start}${end}`))

/** Reads one character or one group, without a `?` behind it. */
const item = (pattern: string, at: number): Part | undefined => {
  const [escaped] = /^\\[^\w]/.exec(pattern.slice(at, at + 2)) ?? []
  if (escaped !== undefined) return { texts: [escaped.slice(1)], end: at + 2 }
  const character = pattern[at] ?? ""
  if (/^[\w:~ ]$/.test(character)) return { texts: [character], end: at + 1 }
  if (character !== "(") return undefined
  const inside = alternatives(pattern, at + 1)
  return inside === undefined || pattern[inside.end] !== ")" ? undefined : { ...inside, end: inside.end + 1 }
}

const sequence = (pattern: string, at: number): Part | undefined => {
  let texts: ReadonlyArray<string> = [""]
  let end = at
  while (end < pattern.length && pattern[end] !== "|" && pattern[end] !== ")") {
    const found = item(pattern, end)
    if (found === undefined) return undefined
    const isOptional = pattern[found.end] === "?"
    texts = joined(texts, isOptional ? [...found.texts, ""] : found.texts)
    if (texts.length > most) return undefined
    end = found.end + (isOptional ? 1 : 0)
  }
  return { texts, end }
}

const alternatives = (pattern: string, at: number): Part | undefined => {
  const texts: Array<string> = []
  let end = at - 1
  do {
    const found = sequence(pattern, end + 1)
    if (found === undefined) return undefined
    texts.push(...found.texts)
    end = found.end
  } while (pattern[end] === "|")
  return texts.length > most ? undefined : { texts, end }
}

/** Returns the names that a pattern matches; undefined if they are many, or if the pattern has other operators. */
export const of = (pattern: string): ReadonlyArray<string> | undefined => {
  const [, inside] = /^\^(.*)\$$/s.exec(pattern) ?? []
  const found = inside === undefined ? undefined : alternatives(inside, 0)
  return found === undefined || found.end !== inside?.length ? undefined : [...new Set(found.texts)]
}
