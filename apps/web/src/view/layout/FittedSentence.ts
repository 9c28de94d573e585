/**
 * The sentence of the run row in the room that it has: its parts give way as a whole, so that none ends in the middle of a word.
 */
import { useLayoutEffect, useRef } from "preact/hooks"

/** How many of its parts may give way: the style sheet says which. */
const steps = 5

/** True if the text has no room. Sizes are rounded: one pixel more is none. */
const isCut = ({ clientHeight, clientWidth, scrollHeight, scrollWidth }: HTMLElement): boolean =>
  scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1

/** Hides as many parts as needed. A sentence that is not shown whole has its text as title. */
const fit = (element: HTMLElement): void => {
  for (let step = 0; step <= steps; step++) {
    element.dataset.without = String(step)
    if (!isCut(element)) break
  }
  if (element.dataset.without === "0") element.removeAttribute("title")
  else element.title = element.textContent ?? ""
}

/** Returns the reference of a sentence whose parts give way, whenever it or the width of its row changes. */
export const useFitted = () => {
  const sentence = useRef<HTMLParagraphElement>(null)
  const fitNow = () => {
    if (sentence.current !== null) fit(sentence.current)
  }
  useLayoutEffect(fitNow)
  useLayoutEffect(() => {
    const row = sentence.current?.parentElement
    if (row === null || row === undefined) return undefined
    const observer = new ResizeObserver(fitNow)
    observer.observe(row)
    return () => observer.disconnect()
  }, [])
  return sentence
}
