/**
 * The difference of two stops as text: one line for each frame, and what was not compared.
 */
import { FunctionName, type Operations } from "@sigtrap/protocol"
import * as Change from "./Change.ts"
import * as Doc from "./Doc.ts"

type Data = Operations.Data<"diff">

/** Longest text of a value. */
const longest = 60

/** Renders a value that differs. */
export const value = ({ new: now, old, path }: Data["frames"][number]["vars"][number]): string => {
  if (old === undefined) return `${path} (new) ${Doc.cut(now ?? "", longest)}`
  if (now === undefined) return `${path} (gone) ${Doc.cut(old, longest)}`
  return `${path} ${Change.text(old, now, longest)}`
}

/** Renders a frame that differs as a line. */
export const frame = ({ function: name, lines, only, vars }: Data["frames"][number]): Doc.Line => {
  const parts = [
    ...(only === undefined ? [] : [`only in ${only.toUpperCase()}`]),
    ...(lines === undefined ? [] : [`line ${lines.join(" -> ")}`]),
    ...vars.map(value)
  ]
  return Doc.line(Doc.span(FunctionName.short(name), "name"), `: ${parts.join(", ")}`)
}

/** Renders the answer of `diff`. */
export const render = ({ compared, frames, left_out: out, values }: Data): Doc.Doc => {
  const count = frames.reduce((sum, { vars }) => sum + vars.length, 0)
  const scope = `${values} values of ${compared} frame${compared === 1 ? "" : "s"}`
  const found = count === 0 ? "no difference" : `${count} difference${count === 1 ? "" : "s"}`
  return Doc.lines(
    ...frames.map(frame),
    Doc.line(Doc.span(`${found} in ${scope}`, "heading")),
    Doc.line(Doc.span(`not compared: ${out.join("; ")}`, "dim"))
  )
}
