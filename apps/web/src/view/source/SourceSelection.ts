/**
 * Selecting text of the source, of which only the visible lines exist: the line where a selection begins stays in the page, and what
 * is copied comes from the file, without line numbers and values.
 */
import { useEffect, useState } from "preact/hooks"
import type { RefObject } from "preact"

interface Place {
  readonly line: number
  readonly column: number
}

const rowOf = (node: Node): Element | null =>
  (node instanceof Element ? node : node.parentElement)?.closest(".line") ?? null

/** Returns the line and the column of a point of the selection; undefined outside of the source. */
const placeOf = (node: Node, offset: number): Place | undefined => {
  const row = rowOf(node)
  const code = row?.querySelector(".text")
  if (row === null || code === null || code === undefined) return undefined
  const line = Number(row.id.slice("line-".length))
  if (!code.contains(node)) {
    const isBefore = (node.compareDocumentPosition(code) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
    return { line, column: isBefore ? 0 : Number.POSITIVE_INFINITY }
  }
  const before = document.createRange()
  before.setStart(code, 0)
  before.setEnd(node, offset)
  const part = before.cloneContents()
  for (const values of part.querySelectorAll(".inline")) values.remove()
  return { line, column: part.textContent?.length ?? 0 }
}

/** Returns the selected text of a file; undefined if no text of the file is selected. */
const selectedText = (lines: ReadonlyArray<string>): string | undefined => {
  const selection = getSelection()
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return undefined
  const range = selection.getRangeAt(0)
  const start = placeOf(range.startContainer, range.startOffset)
  const end = placeOf(range.endContainer, range.endOffset)
  if (start === undefined || end === undefined) return undefined
  return lines
    .slice(start.line - 1, end.line)
    .map((line, at, all) =>
      line.slice(at === 0 ? start.column : 0, at === all.length - 1 ? Math.min(line.length, end.column) : line.length)
    )
    .join("\n")
}

/** What the lines need for a selection: the line that must exist, and what happens on keys, clicks and copying. */
export const useSelection = (box: RefObject<HTMLElement | null>, lines: ReadonlyArray<string>) => {
  const [pinned, setPinned] = useState<number | undefined>(undefined)
  const [all, setAll] = useState(false)
  useEffect(() => {
    const onChange = () => {
      const selection = getSelection()
      const anchor = selection?.anchorNode ?? null
      const row = anchor === null || selection?.isCollapsed !== false ? null : rowOf(anchor)
      setPinned(row === null || box.current?.contains(row) !== true ? undefined : Number(row.id.slice("line-".length)))
    }
    document.addEventListener("selectionchange", onChange)
    return () => document.removeEventListener("selectionchange", onChange)
  }, [])
  return {
    pinned,
    all,
    /** Selects the whole file; returns true if the key did that. */
    onKey: (event: KeyboardEvent): boolean => {
      const selects = (event.ctrlKey || event.metaKey) && event.key === "a"
      if (selects) event.preventDefault()
      if (selects || !(event.ctrlKey || event.metaKey)) setAll(selects)
      return selects
    },
    onMouseDown: () => setAll(false),
    onCopy: (event: ClipboardEvent) => {
      const text = all ? lines.join("\n") : selectedText(lines)
      if (text === undefined) return
      event.preventDefault()
      event.clipboardData?.setData("text/plain", text)
    }
  }
}
