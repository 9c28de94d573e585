/**
 * A recursion by the names of the functions on a stack: one that calls itself, or several that call each other in turn.
 */

/** Most functions of a cycle. */
const longest = 8

/** Most frames before the cycle: functions that it calls. */
const mostLeaves = 3

/** Least number of frames of a cycle that are compared. */
const fewest = 10

/** Returns the functions of the cycle that the frames repeat, in their order on the stack; undefined if they repeat none. */
export const cycleOf = (names: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  for (let from = 0; from <= mostLeaves; from++) {
    const rest = names.slice(from)
    for (let size = 1; size <= longest && rest.length >= Math.max(fewest, 2 * size); size++) {
      if (rest.every((name, index) => index < size || name === rest[index - size])) return rest.slice(0, size)
    }
  }
  return undefined
}

/** Returns the cycle as a clause: `walk calls itself`, `even and odd call each other`. */
export const textOf = (cycle: ReadonlyArray<string>): string => {
  const names = [...new Set(cycle)]
  const [only = ""] = names
  if (names.length === 1) return `${only} calls itself`
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)} call each other`
}
