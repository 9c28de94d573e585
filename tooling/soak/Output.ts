/** The output of the program of a soak, line by line: every answer about it can be checked. */

/** Lines that the program writes before its first stop. */
const headLines = 2000

/** The first line of a run. */
const firstLine = "head 1"

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

/** True if another run begins in this line. The last line of a program that was killed can be cut. */
const beginsRun = (line: string, expected: string): boolean =>
  line.endsWith(firstLine) && expected.startsWith(line.slice(0, -firstLine.length))

/** The number after the last line, or what is wrong with a line. */
type Followed = { readonly next: number } | { readonly problem: string }

/** Follows lines from a number. Another run begins at most `restarts` times. */
const follow = (lines: ReadonlyArray<string>, first: number, restarts: number): Followed => {
  let next = first
  let left = restarts
  for (const line of lines) {
    const expected = lineOf(next)
    if (line === expected) next++
    else if (left-- > 0 && beginsRun(line, expected)) next = 2
    else return { problem: `${JSON.stringify(line)} is not "${expected}"` }
  }
  return { next }
}

/** Returns what is wrong with a page of output, in which the program was started again at most `restarts` times. */
export const problemOfPage = (text: string, restarts: number): string | undefined => {
  // Its first and last line can be cut.
  const lines = text.split("\n").slice(1, -1)
  const followed = follow(lines, numberOf(lines[0] ?? ""), restarts)
  return "problem" in followed ? followed.problem : undefined
}

/** Returns what is wrong with the whole output of a program that has reached its first stop in its last run. */
export const problemOfAll = (text: string, restarts: number): string | undefined => {
  const followed = follow(text.split("\n").slice(0, -1), 1, restarts)
  if ("problem" in followed) return followed.problem
  return followed.next <= headLines ? `only ${followed.next - 1} lines` : undefined
}
