/**
 * Cycles in the graph of threads that wait for each other. A thread waits for at most one other.
 */

/** Returns each cycle of threads once, in the order of waiting, beginning with the smallest number of thread. */
export const of = (waitsFor: ReadonlyMap<number, number>): ReadonlyArray<ReadonlyArray<number>> => {
  const done = new Set<number>()
  const cycles: Array<ReadonlyArray<number>> = []
  for (const start of [...waitsFor.keys()].toSorted((a, b) => a - b)) {
    const path: Array<number> = []
    const seen = new Map<number, number>()
    for (let at: number | undefined = start; at !== undefined && !done.has(at); at = waitsFor.get(at)) {
      const before = seen.get(at)
      if (before !== undefined) {
        const cycle = path.slice(before)
        const first = cycle.indexOf(Math.min(...cycle))
        cycles.push([...cycle.slice(first), ...cycle.slice(0, first)])
        break
      }
      seen.set(at, path.length)
      path.push(at)
    }
    for (const thread of path) done.add(thread)
  }
  return cycles
}
