/**
 * The outline of TOML text: the same text with the contents of strings and comments replaced, so that every other character
 * is syntax. It is made in one pass, without a parser. It bounds what a parser gets, and tells which lines a value has.
 */

/** What a line break in a string becomes. TOML text has no such character. */
export const innerBreak = "\v"

/** What any other character of a string becomes. Outside strings and comments TOML text has no such character. */
const innerCharacter = "~"

/** Replaces a part of the text by the same number of characters without meaning in the syntax. */
const filler = (part: string, character: string) =>
  part
    .split("\n")
    .map((line) => character.repeat(line.length))
    .join(innerBreak)

/** Returns the index after a string with this quote that begins at `from`; after the line for one that is not closed. */
const afterString = (text: string, from: number, quote: string): number => {
  const isMultiline = text.startsWith(quote.repeat(3), from)
  const end = isMultiline ? quote.repeat(3) : quote
  const special = quote === '"' ? /["\\\n]/g : /['\n]/g
  special.lastIndex = from + end.length
  for (let found = special.exec(text); found !== null; found = special.exec(text)) {
    const [letter] = found
    if (letter === "\\") special.lastIndex = found.index + 2
    else if (!isMultiline && letter === "\n") return found.index
    else if (text.startsWith(end, found.index)) {
      let at = found.index + end.length
      // A multi-line string may end with one or two quotes of its own.
      if (isMultiline) while (text[at] === quote) at += 1
      return at
    }
  }
  return text.length
}

/** Returns the outline of a text. It has the same length. */
export const make = (text: string): string => {
  const pieces: Array<string> = []
  let from = 0
  const replace = (start: number, end: number, character: string) => {
    pieces.push(text.slice(from, start), filler(text.slice(start, end), character))
    from = end
  }
  const begin = /[#"']/g
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    const [letter] = found
    const at = found.index
    if (letter === "#") {
      const end = text.indexOf("\n", at)
      replace(at, end === -1 ? text.length : end, "_")
    } else replace(at, Math.min(afterString(text, at, letter), text.length), innerCharacter)
    begin.lastIndex = from
  }
  return pieces.join("") + text.slice(from)
}

/** The longest value, in characters. An alias of a megabyte would be a command line of very many words. */
export const longestValue = 16 * 1024

/**
 * Limits of a file: its values, the parts of a key, and the characters of a string: ten for the longest escape, and
 * quotes. Every known key together needs fewer.
 */
const limits = { values: 1000, parts: 16, string: 10 * longestValue + 6 }

/** Returns which limit an outline exceeds. */
export const excess = (outline: string): string | undefined => {
  let values = 0
  let parts = 1
  let line = 1
  let first = 1
  let string = 0
  for (let at = 0; at < outline.length; at++) {
    const letter = outline[at]
    string = letter === innerCharacter || letter === innerBreak ? string + 1 : 0
    if (string <= 1) first = line
    if (string > limits.string) return `line ${first}: a value has at most ${longestValue} characters`
    if (letter === "\n" || letter === innerBreak) line += 1
    if (letter === "=" || letter === "," || letter === "[" || letter === "{") values += 1
    if (letter === ".") parts += 1
    else if (letter === "=" || letter === "\n" || letter === "," || letter === "{") parts = 1
    if (values > limits.values) return `the file has more than ${limits.values} values`
    if (parts > limits.parts) return `a key has more than ${limits.parts} parts`
  }
  return undefined
}

/** Returns the lines of an outline that a value has, from the line of its assignment on: more if it has open brackets. */
export const linesOfValue = (lines: ReadonlyArray<string>, from: number): number => {
  let level = 0
  for (let index = from; index < lines.length; index++) {
    for (const letter of lines[index] ?? "") {
      if (letter === "[" || letter === "{") level += 1
      if (letter === "]" || letter === "}") level -= 1
    }
    if (level <= 0) return index - from + 1
  }
  return 1
}
