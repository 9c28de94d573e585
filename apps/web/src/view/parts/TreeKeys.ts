/**
 * The arrow keys of a tree: right opens a row and then leads to the first row inside it, left closes it and then leads to the row that
 * it is in.
 */

/** Returns the rows of the tree of a row, and the place of the row among them. */
const rowsOf = (row: HTMLElement) => {
  const rows = [...(row.closest("[role=tree]")?.querySelectorAll<HTMLElement>("[role=treeitem]") ?? [])]
  return { rows, at: rows.indexOf(row) }
}

const levelOf = (row: HTMLElement): number => Number(row.getAttribute("aria-level"))

/** Puts the focus to the first row inside of an open row, if it is there. */
export const focusInside = (row: HTMLElement): void => {
  const { at, rows } = rowsOf(row)
  const next = rows[at + 1]
  if (next !== undefined && levelOf(next) > levelOf(row)) next.focus()
}

/** Puts the focus to the row that has a row inside it, if there is one. */
export const focusParent = (row: HTMLElement): void => {
  const { at, rows } = rowsOf(row)
  rows
    .slice(0, at)
    .findLast((other) => levelOf(other) < levelOf(row))
    ?.focus()
}
