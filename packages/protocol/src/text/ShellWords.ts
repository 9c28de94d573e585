/**
 * Words of a POSIX shell: quoting words for a command line, and splitting a command line into words. Control characters are written as
 * escapes in `$'…'`, which POSIX.1-2024, bash, zsh and ksh read.
 *
 * Nothing is expanded. `parse` reports syntax that only a shell can carry out (pipes, lists, redirections, variables,
 * command substitution), so that a caller that starts no shell can refuse the line.
 */

const safe = /^[\w@%+=:,./-]+$/

/** Quotes a word, also one that needs no quotes. */
export const quoteAlways = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Matches a control character. A terminal acts on it when a command line is pasted, also inside quotes. */
const control = /\p{Cc}/u

const escapes = new Map([
  ["\n", String.raw`\n`],
  ["\r", String.raw`\r`],
  ["\t", String.raw`\t`],
  ["'", String.raw`\'`],
  ["\\", String.raw`\\`]
])

/** Returns the bytes of a control character as octal escapes. */
const octal = (character: string): string =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")

/** Quotes a word, also one that needs no quotes, so that it can be pasted into a terminal: control characters are escapes. */
export const quoteForPaste = (word: string): string =>
  control.test(word)
    ? `$'${word.replaceAll(/[\p{Cc}'\\]/gu, (character) => escapes.get(character) ?? octal(character))}'`
    : quoteAlways(word)

/** Quotes a word if a shell would otherwise not read it back as written. */
export const quote = (word: string): string => (safe.test(word) ? word : quoteForPaste(word))

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

/** Matches a word in `$'…'`, whose backslashes are escapes. */
const escapedWord = /\$'(?<text>(?:[^\\']|\\.)*)'/sy

/** Characters of escapes that are one letter. */
const escaped = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["e", "\u001b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["'", "'"],
  ['"', '"'],
  ["\\", "\\"]
])

/** Returns the text of escapes that are bytes, octal or after an x. */
const textOfBytes = (bytes: string): string =>
  new TextDecoder().decode(
    Uint8Array.from(
      bytes.slice(1).split("\\"),
      (byte) => (byte.startsWith("x") ? Number.parseInt(byte.slice(1), 16) : Number.parseInt(byte, 8)) & 255
    )
  )

/** Returns the text between `$'` and `'`. */
const unescaped = (text: string): string =>
  text.replaceAll(/(?:\\(?:[0-7]{1,3}|x[\da-fA-F]{1,2}))+|\\./gs, (escape) =>
    /^\\[0-7x]/.test(escape) && escape.length > (escape.startsWith("\\x") ? 2 : 1)
      ? textOfBytes(escape)
      : (escaped.get(escape.slice(1)) ?? escape)
  )

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
    } else if (letter === "$" && next === "'") {
      escapedWord.lastIndex = at
      const text = escapedWord.exec(line)?.groups?.["text"]
      // Without its end the quote takes the rest of the line.
      if (text === undefined) quoteMark = "'"
      word = `${word ?? ""}${unescaped(text ?? line.slice(at + 2))}`
      at = text === undefined ? line.length : escapedWord.lastIndex - 1
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
