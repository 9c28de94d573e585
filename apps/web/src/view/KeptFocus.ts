/**
 * Keeps the focus in the middle of the screen when the source is replaced by instructions, by another file or by a sentence. Keys act
 * there.
 */
import type { RefObject } from "preact"
import { useLayoutEffect } from "preact/hooks"

const panelOf = () => document.querySelector<HTMLElement>("#source")

/** Gives the focus of an element that goes to its panel, and takes it from there when the element comes. */
export const useKeptFocus = (box: RefObject<HTMLElement | null>): void => {
  const before = box.current
  // While it is drawn the element is still there.
  const had = before?.contains(document.activeElement) === true
  useLayoutEffect(() => {
    if (had && box.current !== before) panelOf()?.focus({ preventScroll: true })
    if (document.activeElement === panelOf()) box.current?.focus({ preventScroll: true })
  })
  useLayoutEffect(
    () => () => {
      if (box.current?.contains(document.activeElement) === true) panelOf()?.focus({ preventScroll: true })
    },
    []
  )
}
