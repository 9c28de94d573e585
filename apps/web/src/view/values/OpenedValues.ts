/**
 * Which values are open, by path; they stay open over stops.
 */
import { signal } from "@preact/signals"

/** The opened values, by path. */
export const opened = signal<ReadonlySet<string>>(new Set())

/** Opens or closes a value. */
export const setOpen = (path: string, open: boolean): void => {
  const next = new Set(opened.value)
  if (open) next.add(path)
  else next.delete(path)
  opened.value = next
}

/** The number of rows directly inside of each open value, by path. */
const rows = signal<ReadonlyMap<string, number>>(new Map())

/** Notes how many rows are directly inside of a value; undefined once it is closed. */
export const noteRows = (path: string, count: number | undefined): void => {
  if (rows.peek().get(path) === count) return
  const next = new Map(rows.peek())
  if (count === undefined) next.delete(path)
  else next.set(path, count)
  rows.value = next
}

/** Returns how many rows are inside of a value, with those inside of open ones. */
export const rowsInside = (path: string): number => {
  let count = 0
  for (const [one, number] of rows.value) if (one === path || one.startsWith(`${path}/`)) count += number
  return count
}
