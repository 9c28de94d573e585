/**
 * Moves the focus when the focused element is removed, so that the keys still act: to the new content of the source panel, or to another
 * row of a list.
 */
import type { RefObject } from "preact"
import { useEffect, useLayoutEffect } from "preact/hooks"

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

/** Gives the focus of an element of a box that was removed to another one. `next` returns that, for the removed element. */
export const useFocusInside = (
  box: RefObject<HTMLElement | null>,
  next: (box: HTMLElement, removed: HTMLElement) => HTMLElement | null | undefined
): void =>
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    let focused: HTMLElement | undefined
    const onFocusIn = ({ target }: FocusEvent) => (focused = target instanceof HTMLElement ? target : undefined)
    const onFocusOut = () =>
      queueMicrotask(() => {
        // The browser says that the focus goes also when it removes the element.
        if (focused?.isConnected === true && document.activeElement !== focused) focused = undefined
      })
    const observer = new MutationObserver(() => {
      const removed = focused
      if (removed === undefined || removed.isConnected || document.activeElement !== document.body) return
      focused = undefined
      next(element, removed)?.focus({ preventScroll: true })
    })
    observer.observe(element, { childList: true, subtree: true })
    element.addEventListener("focusin", onFocusIn)
    element.addEventListener("focusout", onFocusOut)
    return () => {
      observer.disconnect()
      element.removeEventListener("focusin", onFocusIn)
      element.removeEventListener("focusout", onFocusOut)
    }
  }, [])
