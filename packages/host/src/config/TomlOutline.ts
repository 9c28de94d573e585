/**
 * The outline of TOML text: the same text with the contents of strings and comments replaced, so that every other character
 * is syntax. It is made in one pass, without a parser. It bounds what a parser gets, and tells which lines a value has.
 */

/** What a line break in a string becomes. TOML text has no such character. */
export const innerBreak = "\v"

/** Replaces a part of the text by as many characters that are no syntax. */
const filler = (part: string) =>
  part
    .split("\n")
    .map((line) => "_".repeat(line.length))
    .join(innerBreak)

/** Returns the index after a string with this quote that begins at `from`; after the line for one that is not closed. */
const afterString = (text: string, from: number, quote: string): number => {
  const isMultiline = text.startsWith(quote.repeat(3), from)
  const end = isMultiline ? quote.repeat(3) : quote
  let at = from + end.length
  while (at < text.length) {
    if (quote === '"' && text[at] === "\\") at += 2
    else if (!isMultiline && text[at] === "\n") return at
    else if (text.startsWith(end, at)) {
      at += end.length
      // A multi-line string may end with one or two quotes of its own.
      if (isMultiline) while (text[at] === quote) at += 1
      return at
    } else at += 1
  }
  return text.length
}

/** Returns the outline of a text. It has the same length. */
export const make = (text: string): string => {
  const pieces: Array<string> = []
  let from = 0
  const replace = (start: number, end: number) => {
    pieces.push(text.slice(from, start), filler(text.slice(start, end)))
    from = end
  }
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (letter === "#") {
      const end = text.indexOf("\n", at)
      replace(at, end === -1 ? text.length : end)
    } else if (letter === '"' || letter === "'") replace(at, Math.min(afterString(text, at, letter), text.length))
    else continue
    at = from - 1
  }
  return pieces.join("") + text.slice(from)
}

/** Limits of a file: its values, and the parts of a key. Every known key together needs fewer. */
const limits = { values: 1000, parts: 16 }

/** Returns which limit an outline exceeds. */
export const excess = (outline: string): string | undefined => {
  let values = 0
  let parts = 1
  for (let at = 0; at < outline.length; at++) {
    const letter = outline[at]
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
