/**
 * Source lines with their numbers; `>` marks the current line.
 */
import type { Frame } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as View from "./View.ts"

/** Renders the answer of `source`: `>` marks the line of the frame, `b` a breakpoint. */
export const listing = (
  view: View.View,
  data: {
    readonly file: string
    readonly first: number
    readonly lines: ReadonlyArray<string>
    readonly current?: number
    readonly breakpoints: ReadonlyArray<{ readonly line: number }>
  }
): Doc.Doc => {
  const digits = String(data.first + Math.max(data.lines.length - 1, 0)).length
  const rows = data.lines.map((text, index) => {
    const number = data.first + index
    const here = number === data.current
    const marks = `${data.breakpoints.some(({ line }) => line === number) ? "b" : " "}${here ? ">" : " "}`
    return Doc.line(
      Doc.span(`${marks} ${String(number).padStart(digits)} `, here ? "current" : "dim"),
      Doc.span(Doc.cut(text, 200), here ? "current" : "plain")
    )
  })
  const file = View.path(view, data.file)
  const last = data.first + data.lines.length - 1
  return Doc.concat(
    Doc.lines(Doc.line(Doc.span(file, "heading"))),
    Doc.list(
      rows.map((row) => [row]),
      (shown) => View.again(view, "source", { range: `${data.first + shown}-${last}` }),
      () => View.again(view, "source", { budget: 0 })
    )
  )
}

/** Renders the answer of `files`. */
export const files = (view: View.View, list: ReadonlyArray<string>): Doc.Doc =>
  list.length === 0
    ? Doc.lines(Doc.line("no source files"))
    : Doc.list(
        list.map((file) => [Doc.line(View.path(view, file))]),
        () => View.again(view, "files", { budget: 0 })
      )

/** Renders source lines with aligned numbers. */
export const render = (source: Frame.SourceLines, current?: number): ReadonlyArray<Doc.Line> => {
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
