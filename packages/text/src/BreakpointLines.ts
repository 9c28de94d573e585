/**
 * Lines on which a breakpoint can be set, and breakpoints saved in files.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Breakpoints from "./Breakpoints.ts"
import * as Doc from "./Doc.ts"
import * as View from "./View.ts"

/** The file, then `14  total += 1;` for each line. */
export const lines = (view: View.View, { file, lines: found }: Operations.Data<"breakpoint.lines">): Doc.Doc => {
  const digits = Math.max(1, ...found.map(({ line }) => String(line).length))
  return Doc.concat(
    Doc.lines(Doc.line(`${View.path(view, file)}${found.length === 0 ? ": no lines with code" : ""}`)),
    Doc.list(
      found.map(({ line, text }) => [
        Doc.line(Doc.span(String(line).padStart(digits), "number"), `  ${Doc.cut(text ?? "", 100)}`)
      ]),
      () => View.again(view, "breakpoint.lines", { budget: 0 })
    )
  )
}

/** Renders the lines that match a text. `break` needs exactly one, or `nth`. */
export const found = (view: View.View, { file, matches, total }: Operations.Data<"breakpoint.find">): Doc.Doc =>
  Doc.concat(
    Doc.lines(
      Doc.line(
        `${View.path(view, file)}: ${total === 0 ? "no line has this text" : `${total} line${total === 1 ? "" : "s"}`}`
      )
    ),
    Doc.list(
      matches.map(({ line, text }) => [
        Doc.line(Doc.span(String(line).padStart(5), "number"), `  ${Doc.cut(text, 100)}`)
      ]),
      () => View.again(view, "breakpoint.find", { budget: 0 })
    )
  )

/** `saved 3 breakpoints in FILE`; a file outside the directory has its whole path. */
export const saved = (view: View.View, { breakpoints, file }: Operations.Data<"breakpoint.save">): Doc.Doc => {
  const isBelow = view.directory !== undefined && file.startsWith(`${view.directory.replace(/\/*$/, "")}/`)
  const count = `${breakpoints.length} breakpoint${breakpoints.length === 1 ? "" : "s"}`
  return Doc.lines(Doc.line(`saved ${count} in ${isBelow ? View.path(view, file) : file}`))
}

/** Renders the breakpoints that were set, then those that failed. */
export const loaded = (view: View.View, { breakpoints, failed }: Operations.Data<"breakpoint.load">): Doc.Doc =>
  breakpoints.length === 0 && failed.length === 0
    ? Doc.lines(Doc.line("no breakpoints"))
    : Doc.lines(
        ...breakpoints.map((breakpoint) => Breakpoints.one(view, breakpoint)),
        ...failed.map(({ at, reason }) => Doc.line(Doc.span(`not set: ${at}: `, "warning"), Doc.cut(reason, 200)))
      )
