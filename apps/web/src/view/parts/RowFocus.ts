/**
 * The keys that move the focus between the rows of a list.
 */

/** How far keys move the focus in a list. */
const rowKeys: ReadonlyMap<string, number> = new Map([
  ["ArrowDown", 1],
  ["ArrowUp", -1],
  ["Home", -Infinity],
  ["End", Infinity]
])

/** Moves the focus between the rows of a list. */
export const moveFocus = (event: KeyboardEvent, selector: string): void => {
  // While the list itself has the focus, the key that opens a row leads to the first one.
  const enters = event.key === "ArrowRight" && event.target === event.currentTarget
  const by = enters ? 1 : rowKeys.get(event.key)
  if (by === undefined || !(event.currentTarget instanceof HTMLElement)) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)]
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement))
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
