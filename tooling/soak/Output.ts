/** The output of the program of a soak, line by line: every answer about it can be checked. */

/** Lines that the program writes before its first stop. */
const headLines = 2000

/** Returns a line of the program's output; the first has number 1. */
const lineOf = (number: number): string => {
  const n = number - headLines
  return n <= 0 ? `head ${number}` : `line ${n} total ${n * (n + 1)}`
}

/** Returns the number of a line. */
const numberOf = (line: string): number => {
  const [, kind, n] = /^(head|line) (\d+)/.exec(line) ?? []
  return Number(n ?? 0) + (kind === "line" ? headLines : 0)
}

const difference = (lines: ReadonlyArray<string>, first: number): string | undefined => {
  const wrong = lines.findIndex((line, at) => line !== lineOf(first + at))
  return wrong < 0 ? undefined : `${JSON.stringify(lines[wrong])} is not "${lineOf(first + wrong)}"`
}

/** Returns what is wrong with a page of output. Its first and last line can be cut. */
export const problemOfPage = (text: string): string | undefined => {
  const lines = text.split("\n").slice(1, -1)
  return difference(lines, numberOf(lines[0] ?? ""))
}

/** Returns what is wrong with the output of a program that has reached its first stop. */
export const problemOfAll = (text: string): string | undefined => {
  const lines = text.split("\n").slice(0, -1)
  return difference(lines, 1) ?? (lines.length < headLines ? `only ${lines.length} lines` : undefined)
}
