/**
 * Keys of rows by their place. A row that gets another place, because there are more or fewer rows before it, is drawn anew there: no
 * element of the page moves from stop to stop. A row that has the focus, or what is inside of it, keeps its element.
 */
import type { RefObject } from "preact"
import { useRef } from "preact/hooks"

/** True if an element of the page has the focus inside of a box. */
const hasFocus = (box: RefObject<HTMLElement | null>): boolean => box.current?.contains(document.activeElement) === true

/** Returns the key of one element behind rows, of which there are `place`. */
export const usePlaceKey = (box: RefObject<HTMLElement | null>, place: number): number => {
  const key = useRef(place)
  if (!hasFocus(box)) key.current = place
  return key.current
}

/** A row: its name, its place as the number of rows before it, and the `data-path` of its element if it has one. */
interface Placed {
  readonly name: string | number
  readonly place: number
  readonly path?: string
}

/** Returns whether the focus is in a row or in what is inside of it. Without paths it is in all rows of a list that has it. */
const focusOf = (box: RefObject<HTMLElement | null>): ((row: Placed) => boolean) => {
  if (!hasFocus(box)) return () => false
  const focused = document.activeElement?.closest<HTMLElement>("[data-path]")?.dataset["path"]
  return ({ path }) => path === undefined || focused === path || focused?.startsWith(`${path}/`) === true
}

/** Returns values as rows with their places; what is inside of an open one is drawn behind it. */
export const placed = (
  names: ReadonlyArray<string>,
  pathOf: (name: string) => string,
  inside: (path: string) => number
): ReadonlyArray<Placed> => {
  let place = 0
  return names.map((name) => {
    const path = pathOf(name)
    const row = { name, place, path }
    place += 1 + inside(path)
    return row
  })
}

/** Returns the keys of the rows of a list. Those that have the focus keep their elements. */
export const usePlaceKeys = (
  box: RefObject<HTMLElement | null>,
  rows: ReadonlyArray<Placed>
): ReadonlyArray<string> => {
  const known = useRef<ReadonlyMap<string | number, string>>(new Map())
  const isFocused = focusOf(box)
  const keys = rows.map((row): readonly [string | number, string] => [
    row.name,
    (isFocused(row) ? known.current.get(row.name) : undefined) ?? `${row.place} ${row.name}`
  ])
  known.current = new Map(keys)
  return keys.map(([, key]) => key)
}
