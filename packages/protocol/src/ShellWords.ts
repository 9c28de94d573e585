/**
 * Words of a POSIX shell: quoting words for a command line, and splitting a command line into words.
 *
 * Nothing is expanded. `parse` reports syntax that only a shell can carry out (pipes, lists, redirections, variables,
 * command substitution), so that a caller that starts no shell can refuse the line.
 */

const safe = /^[\w@%+=:,./-]+$/

/** Quotes a word, also one that needs no quotes. */
export const quoteAlways = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Quotes a word if a shell would otherwise not read it back as written. */
export const quote = (word: string): string => (safe.test(word) ? word : quoteAlways(word))

/** Joins words into a command line that can be pasted into a shell. */
export const join = (words: ReadonlyArray<string>): string => words.map(quote).join(" ")

/** A command line as parsed. */
export interface Parsed {
  readonly words: ReadonlyArray<string>
  /** The first syntax that needs a shell: an operator, or `a second line`. */
  readonly operator: string | undefined
  /** True if a quote is not closed. */
  readonly open: boolean
}

const operators = /[|&;<>()`$\n\r]/

/** Splits a command line and reports shell syntax in it. */
export const parse = (line: string): Parsed => {
  const words: Array<string> = []
  let operator: string | undefined
  let word: string | undefined
  let quoteMark = ""
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? ""
    const next = line[at + 1] ?? ""
    if (quoteMark === "'") {
      if (letter === "'") quoteMark = ""
      else word = `${word ?? ""}${letter}`
    } else if (letter === "\\" && (quoteMark === "" || /[\\"$`\n]/.test(next))) {
      if (next !== "\n") word = `${word ?? ""}${next}`
      at++
    } else if (quoteMark === '"') {
      if (letter === '"') quoteMark = ""
      else {
        if (/[$`]/.test(letter)) operator ??= letter
        word = `${word ?? ""}${letter}`
      }
    } else if (letter === "'" || letter === '"') {
      quoteMark = letter
      word ??= ""
    } else if (/[ \t\r\n]/.test(letter)) {
      if (operators.test(letter)) operator ??= letter === "\n" ? "a second line" : letter
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      if (operators.test(letter)) operator ??= letter
      word = `${word ?? ""}${letter}`
    }
  }
  if (word !== undefined) words.push(word)
  return { words, operator, open: quoteMark !== "" }
}

/** Splits a command line into words; shell operators stay part of the words. */
export const split = (line: string): ReadonlyArray<string> => parse(line).words
