/**
 * Words of command lines, and sentences.
 */

/**
 * Returns the words of a line of arguments: blanks separate them, quotes keep them, and nothing else has a meaning. Undefined if a quote
 * is not closed.
 */
export const wordsOf = (line: string): ReadonlyArray<string> | undefined => {
  const words: Array<string> = []
  let word: string | undefined
  let quote: string | undefined
  for (const character of line) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined
      else word = (word ?? "") + character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ""
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? "") + character
  }
  if (quote !== undefined) return undefined
  return word === undefined ? words : [...words, word]
}

/** Returns a message of the server as a sentence: it begins with a capital letter and ends with a mark. */
export const sentence = (message: string): string =>
  message.replace(/^./u, (first) => first.toUpperCase()).replace(/(?<![.!?])$/, ".")

/** Returns a text of at most `most` characters. What was cut before has one ellipsis, not two. */
export const cutText = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).replace(/[.…]+$/, "")}…` : text

/** Says until when a page without a connection is true: until its last event. */
export const trueAt = (event: number): string =>
  `What you see was true at event ${event}. The program may have gone on.`

/** Returns a size as words: `812 bytes`, `64 KB`, `2.1 MB`. */
export const sizeOf = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} byte${bytes === 1 ? "" : "s"}`
  const [unit, size] = bytes < 999_500 ? ["KB", 1000] : bytes < 999_500_000 ? ["MB", 1_000_000] : ["GB", 1_000_000_000]
  const count = bytes / size
  return `${count < 9.95 ? count.toFixed(1).replace(/\.0$/, "") : Math.round(count)} ${unit}`
}
