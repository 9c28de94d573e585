/**
 * Measures boxes: which source lines are visible, and the width and height of an element.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"

/** Measures the height of an element that is there while `on`. */
export const useHeight = (on: boolean) => {
  const [height, setHeight] = useState(64)
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    // Before the first paint, so that the lines below move once.
    const read = () => setHeight(element.offsetHeight)
    read()
    const observer = new ResizeObserver(read)
    observer.observe(element)
    return () => observer.disconnect()
  }, [on])
  return [box, height] as const
}

/** Measures the width inside an element, also when it changes. */
export const useWidth = () => {
  const [width, setWidth] = useState(256)
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const read = () => setWidth(element.clientWidth)
    read()
    const observer = new ResizeObserver(read)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [box, width] as const
}

/** True if a line is visible as a whole in the box of the lines. */
export const isVisible = (box: HTMLElement | null, line: number | undefined, height: number): boolean => {
  if (box === null || line === undefined) return false
  const top = (line - 1) * height - box.scrollTop
  return top >= 0 && top + height <= box.clientHeight
}

/** Most notes below lines that let the last lines stay where they are. */
const mostNotes = 4

/**
 * Returns how far the box of the lines is scrolled to show a line, whose top is given: at 40 % of the height if it is outside of the middle
 * 60 %, or always. Notes of lines make the text longer after it was scrolled to its end, where a visible line stays. `ownHeight` is the
 * height of the line with what is below it, such as the card of a failure, which is not left outside of the box.
 */
export const scrollTo = (
  { clientHeight, scrollHeight, scrollTop }: HTMLElement,
  topOfLine: number,
  lineHeight: number,
  ownHeight: number,
  always: boolean
): number => {
  const top = topOfLine - scrollTop
  // A whole number of lines, so that none is cut at the top.
  const wanted = Math.max(0, topOfLine - Math.round((clientHeight * 0.4) / lineHeight) * lineHeight)
  const isEnd = wanted > scrollTop && scrollHeight - clientHeight - scrollTop <= mostNotes * lineHeight
  const isCut = top + ownHeight > clientHeight
  const isSeen = top >= 0 && !isCut
  const isOutside = (top < clientHeight * 0.2 || top > clientHeight * 0.8) && !(isEnd && isSeen)
  return always || isOutside || isCut ? wanted : scrollTop
}

/** The current line, and whether it was visible when the lines were measured last. */
interface KeptLine {
  readonly line: number | undefined
  readonly seen: boolean
}

/** Shows the card below a visible current line as a whole. Its height is known after it was drawn, and changes with what is in it. */
export const useCard = (
  height: number | undefined,
  kept: { readonly current: KeptLine },
  show: (line: number) => void
) =>
  useLayoutEffect(() => {
    const { line, seen } = kept.current
    if (height !== undefined && line !== undefined && seen) show(line)
  }, [height])

/** Measures when the box changes its size. A current line that was visible stays so. */
export const useSize = (
  box: { readonly current: HTMLElement | null },
  kept: { readonly current: KeptLine },
  height: number,
  on: { readonly show: (line: number) => void; readonly measure: () => void }
) =>
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => {
      const { line, seen } = kept.current
      if (line !== undefined && seen && !isVisible(element, line, height)) on.show(line)
      on.measure()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [height])
