/**
 * Where the lines of a source file begin, as its language counts them. A line feed ends a line everywhere. Python and JavaScript also end a
 * line at a carriage return (Python reference, 2.1.2), JavaScript at U+2028 and U+2029 too (ECMA-262, 12.3); so do the lines of debuggers.
 */

/** The ends of lines by the extension of the file. */
const ends = [
  { files: /\.pyi?$/, others: /\r(?!\n)/, all: /\r\n?|\n/g },
  { files: /\.[cm]?[jt]sx?$/, others: /\r(?!\n)|[\u2028\u2029]/, all: /\r\n?|[\n\u2028\u2029]/g }
] as const

/** Returns the offset of each line in the text of a file. The end of a last line begins one more. */
export const make = (file: string, text: string): Uint32Array => {
  const own = ends.find(({ files, others }) => files.test(file) && others.test(text))
  const starts = [0]
  if (own !== undefined) for (const { 0: end, index } of text.matchAll(own.all)) starts.push(index + end.length)
  else for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return Uint32Array.from(starts)
}

/** Returns the number of lines in the text of a file, without an empty one at its end. */
export const count = (file: string, text: string): number => {
  const starts = make(file, text)
  return starts.length > 1 && starts.at(-1) === text.length ? starts.length - 1 : starts.length
}

/** Returns a line, from 1, without its end; undefined if it does not exist. */
export const line = (text: string, starts: Uint32Array, number: number): string | undefined => {
  const from = starts[number - 1]
  if (from === undefined) return undefined
  const next = starts[number]
  return next === undefined
    ? text.slice(from).replace(/\r$/, "")
    : text.slice(from, next).replace(/(?:\r?\n|[\r\u2028\u2029])$/, "")
}
