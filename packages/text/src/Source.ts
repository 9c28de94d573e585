/**
 * Lines of source with their numbers; `>` marks the line where the program is.
 */
import type { SourceLines } from "@sigtrap/protocol/Frame"
import * as Doc from "./Doc.ts"

/** The lines, numbers aligned. */
export const render = (source: SourceLines, current?: number): ReadonlyArray<Doc.Line> => {
  const digits = String(source.first + Math.max(source.lines.length - 1, 0)).length
  return source.lines.map((text, index) => {
    const number = source.first + index
    const here = number === current
    const gutter = ` ${here ? ">" : " "} ${String(number).padStart(digits)} `
    return Doc.line(
      Doc.span(gutter, here ? "current" : "dim"),
      Doc.span(Doc.cut(text, 200), here ? "current" : "plain")
    )
  })
}
