/**
 * Suggestions for a misspelled name: names close in spelling, or with the same prefix.
 */

/** Returns the edit distance of two words: letters inserted, deleted, replaced, or swapped with the next one. */
export const distance = (from: string, to: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1]
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const replace = (last[column - 1] ?? 0) + (same ? 0 : 1)
      const best = Math.min(replace, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1)
      current[column] = swapped ? Math.min(best, (beforeLast[column - 2] ?? 0) + 1) : best
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}

/** Returns the names closest in spelling, nearest first, however far they are; upper and lower case are the same. */
export const closest = (word: string, known: Iterable<string>, limit: number): ReadonlyArray<string> => {
  const lower = word.toLowerCase()
  return [...new Set(known)]
    .map((name) => ({ name, away: distance(lower, name.toLowerCase()) }))
    .toSorted((a, b) => a.away - b.away)
    .slice(0, limit)
    .map(({ name }) => name)
}

/** The word without the dashes of an option, in lower case. */
const bare = (word: string): string =>
  word
    .slice(0, 40)
    .toLowerCase()
    .replace(/^-{1,2}/, "")

/** True if a distance is at most a third of the letters of the longer word, or one letter. */
export const isNear = (far: number, from: string, to: string): boolean =>
  far <= Math.max(1, Math.floor(Math.max(from.length, to.length) / 3))

/** Returns at most three similar names, nearest first. */
export const names = (word: string, known: Iterable<string>): ReadonlyArray<string> => {
  const short = bare(word)
  const near = (name: string) =>
    short.length > 1 && (name.startsWith(short) || (short.startsWith(name) && name.length > 2))
      ? 0.5
      : distance(short, name)
  return [...new Set(known)]
    .map((name) => ({ name, far: near(bare(name)) }))
    .filter(({ name, far }) => isNear(far, short, bare(name)))
    .toSorted((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name)
}
