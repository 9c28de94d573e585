/**
 * Scroll anchoring of a list whose rows come and go from stop to stop. One row keeps its place on the screen if the list can be scrolled:
 * the row with the focus, else the one under the pointer, else the first visible one.
 */
import { useEffect, useRef } from "preact/hooks"
import { useFocusInside } from "./KeptFocus.ts"

/** A row by its path, and its distance from the top of the list in pixels. */
interface Place {
  readonly path: string
  readonly top: number
}

/** Returns the distance of a row from the top of the list, which does not change when the box is scrolled. */
const topIn = (box: HTMLElement, row: HTMLElement): number =>
  row.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop

const rowsOf = (box: HTMLElement): ReadonlyArray<HTMLElement> => [...box.querySelectorAll<HTMLElement>("[data-path]")]

/** Returns the place of the row that must not move. */
const lookedAt = (box: HTMLElement): Place | undefined => {
  const focused = box.contains(document.activeElement) ? document.activeElement : null
  const row =
    focused?.closest<HTMLElement>("[data-path]") ??
    box.querySelector<HTMLElement>("[data-path]:hover") ??
    rowsOf(box).find((one) => topIn(box, one) >= box.scrollTop)
  const path = row?.dataset["path"]
  return row === undefined || path === undefined ? undefined : { path, top: topIn(box, row) }
}

/** Returns the row with the path of a removed element; without one the first list of the box, or a button of its panel. */
const successorOf = (box: HTMLElement, removed: HTMLElement): HTMLElement | null | undefined => {
  const path = removed.closest<HTMLElement>("[data-path]")?.dataset["path"]
  return (
    rowsOf(box).find((row) => row.tabIndex === -1 && row.dataset["path"] === path && row.role === "treeitem") ??
    box.querySelector<HTMLElement>("[role=tree], .row.watch .button") ??
    box.closest(".panel")?.querySelector<HTMLElement>(".panelHead .button")
  )
}

/** Returns the reference of the box that scrolls. */
export const useScrollAnchor = () => {
  const box = useRef<HTMLDivElement>(null)
  useFocusInside(box, successorOf)
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    let place = lookedAt(element)
    const note = () => (place = lookedAt(element))
    // It is called before the next frame is drawn.
    const observer = new MutationObserver(() => {
      const row =
        place === undefined ? undefined : rowsOf(element).find(({ dataset }) => dataset["path"] === place?.path)
      const moved = row === undefined || place === undefined ? 0 : Math.round(topIn(element, row) - place.top)
      if (moved !== 0) element.scrollTop += moved
      note()
    })
    observer.observe(element, { childList: true, subtree: true })
    const events = ["scroll", "focusin", "focusout", "pointerover", "pointerleave"]
    for (const name of events) element.addEventListener(name, note, { passive: true })
    return () => {
      observer.disconnect()
      for (const name of events) element.removeEventListener(name, note)
    }
  }, [])
  return box
}
