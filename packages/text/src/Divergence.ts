/**
 * The answer of `diverge` as text: where the paths part, which way each run took, the values that differ, and both ends.
 */
import { FunctionName, type Operations } from "@sigtrap/protocol"
import * as Difference from "./Difference.ts"
import * as Doc from "./Doc.ts"
import * as View from "./View.ts"

type Data = Operations.Data<"diverge">
type Divergence = NonNullable<Data["divergence"]>
type Position = Divergence["after"]

/** Longest text of a name. */
const longest = 80

const plural = (count: number, noun: string, several = `${noun}s`) => `${count} ${count === 1 ? noun : several}`

const place = (view: View.View, { file, function: name, line }: Position): string => {
  const at = file === undefined || line === undefined ? [] : [`${View.path(view, file)}:${line}`]
  return [...(name === undefined ? [] : [Doc.cut(FunctionName.short(name), longest)]), ...at].join(" ")
}

const equal = ({ entries, lines }: Data) =>
  `${plural(entries, "function entry", "function entries")} and ${plural(lines, "line")}`

/** Where a run went. Columns tell two places of one line apart. */
const way = (view: View.View, { kind, location }: Divergence["at"]["a"], columns: boolean): string => {
  if (kind === "end" || location === undefined) return "the end of the program"
  const column = columns && location.column !== undefined ? `:${location.column}` : ""
  return `${kind === "entry" ? "enters " : ""}${place(view, location)}${column}`
}

/** What distinguishes two ways with the same place: the call, the full name of the function, or the instructions of the line. */
const apart = ({ at: { a, b } }: Divergence): readonly [string, string] => {
  const [good, bad] = [a.location?.function ?? "", b.location?.function ?? ""]
  if (good !== bad) return [`, ${Doc.cut(good, longest)}`, `, ${Doc.cut(bad, longest)}`]
  return ["", b.kind === "entry" ? ", by another call" : ", other instructions of the line"]
}

const divergence = (view: View.View, data: Data, found: Divergence): ReadonlyArray<Doc.Line> => {
  const { after, at, call, narrowed } = found
  const columns = at.a.location?.line === at.b.location?.line
  const [good, bad] = [way(view, at.a, columns), way(view, at.b, columns)]
  const [more, other] = good === bad ? apart(found) : ["", ""]
  const calls = call === 0 ? "" : ` (${plural(call, "call")})`
  const where = narrowed ? "paths part after" : "paths part somewhere after"
  return [
    Doc.line(Doc.span(`${where} ${place(view, after)}${calls}`, "heading"), ` · equal: ${equal(data)}`),
    Doc.line(`good -> ${good}${more}`),
    Doc.line(`bad  -> ${bad}${other}`)
  ]
}

const end = ({ cut, exit_code, output_bytes, signal }: Data["ends"]["a"]): string => {
  const how =
    cut !== undefined
      ? `ended here (${cut})`
      : signal !== undefined
        ? signal
        : exit_code === undefined
          ? "ended"
          : `exited ${exit_code}`
  return `${how}, output ${output_bytes} B`
}

const ends = ({ ends: { a, b }, same_output: same }: Data): Doc.Line =>
  Doc.line(`good: ${end(a)}; bad: ${end(b)}${same === undefined ? "" : same ? ", the same" : ", not the same"}`)

const others = (view: View.View, { arguments: found }: Data): ReadonlyArray<Doc.Line> => {
  if (found === undefined) return []
  const values = found.vars.map(Difference.value).join(", ")
  return [Doc.line(`first other arguments: ${place(view, found.location)} (call ${found.call}): ${values}`)]
}

const cutAt = { entries: "the limit", time: "the time was up", threads: "a second thread runs" } as const

/** What is equal if no difference was found. A comparison that a limit ended, or runs that end differently, may have one. */
const noDifference = (data: Data): string => {
  const { a, b } = data.ends
  const cut = a.cut ?? b.cut
  if (cut !== undefined) return `the first ${equal(data)} are equal; no more were compared (${cutAt[cut]})`
  const isOther = a.exit_code !== b.exit_code || a.signal !== b.signal || data.same_output === false
  return `no difference in ${equal(data)}${isOther ? ", but the runs end differently" : ""}`
}

/** Renders the answer of `diverge`. */
export const render = (view: View.View, data: Data): Doc.Doc => {
  const { elapsed_ms, left_out: out, divergence: found, runs, sessions, vars } = data
  const seconds = (elapsed_ms / 1000).toFixed(1)
  const kept = sessions === undefined ? "" : `sessions ${sessions.join(", ")}, stopped there · `
  return Doc.lines(
    ...(found === undefined ? [Doc.line(Doc.span(noDifference(data), "heading"))] : divergence(view, data, found)),
    ...vars.map(Difference.frame),
    ...others(view, data),
    ends(data),
    Doc.line(Doc.span(`${kept}${plural(runs, "run")}, ${seconds} s`, "dim")),
    Doc.line(Doc.span(`not compared: ${out.join("; ")}`, "dim"))
  )
}
