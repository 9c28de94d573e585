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
