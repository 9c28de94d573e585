/**
 * Keys of rows by their place. A row that gets another place, because there are more or fewer rows before it, is drawn anew there: no
 * element of the page moves from stop to stop. A row that has the focus, or something that is open in it, keeps its element.
 */
import type { RefObject } from "preact"
import { useRef } from "preact/hooks"

/** True if an element of the page has the focus inside of a box. */
const hasFocus = (box: RefObject<HTMLElement | null>): boolean => box.current?.contains(document.activeElement) === true

/** Returns the key of one element behind rows, of which there are `place`. It keeps its element while `isKept`. */
export const usePlaceKey = (box: RefObject<HTMLElement | null>, place: number, isKept = false): number => {
  const key = useRef(place)
  if (!isKept && !hasFocus(box)) key.current = place
  return key.current
}

/** A row: its name, and its place as the number of rows before it. */
interface Placed {
  readonly name: string | number
  readonly place: number
}

/** Returns the keys of the rows of a list. Those for which `isKept` is true keep their elements, and all while the list has the focus. */
export const usePlaceKeys = (
  box: RefObject<HTMLElement | null>,
  rows: ReadonlyArray<Placed>,
  isKept: (name: string | number) => boolean = () => false
): ReadonlyArray<string> => {
  const known = useRef<ReadonlyMap<string | number, string>>(new Map())
  const focused = hasFocus(box)
  const keys = rows.map(({ name, place }): readonly [string | number, string] => [
    name,
    (focused || isKept(name) ? known.current.get(name) : undefined) ?? `${place} ${name}`
  ])
  known.current = new Map(keys)
  return keys.map(([, key]) => key)
}
