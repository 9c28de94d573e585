/**
 * The answers of `stops`, `history` and `report` as text.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Change from "./Change.ts"
import * as Doc from "./Doc.ts"
import * as Frames from "./Frames.ts"
import * as Events from "./Events.ts"
import * as StopReport from "./StopReport.ts"
import * as View from "./View.ts"

type Stop = Operations.Data<"stops">["stops"][number]
type Value = Operations.Data<"history">["values"][number]

/** The words of a command line that name the command: `next`, `breakpoint set`. */
const commandWord = (command: string | undefined): string => command?.split(" ")[0] ?? ""

const gone = (dropped: number): Doc.Doc =>
  dropped === 0
    ? Doc.empty
    : Doc.lines(Doc.line(Doc.span(`… ${dropped} older stop${dropped === 1 ? " is" : "s are"} no longer kept`, "dim")))

/** Most changed variables in one line. */
const maxChanged = 4

const changes = (changed: Stop["changed"]): string => {
  const shown = changed.slice(0, maxChanged).map((one) => `${one.name} ${Change.text(one.old, one.new, 30)}`)
  return [...shown, ...(changed.length > shown.length ? ["…"] : [])].join("  ")
}

const place = (view: View.View, { location }: Stop): string =>
  location === undefined
    ? ""
    : Frames.at(view, location)
        .map(({ text }) => text)
        .join("")

/** Renders the answer of `stops`: number, time, reason, place, command, client, changes. */
export const stops = (view: View.View, { dropped, stops: all }: Operations.Data<"stops">): Doc.Doc => {
  const rows = Doc.table(
    all.map((one) => [
      `#${one.stop}`,
      Events.clock(one.time).slice(0, 8),
      Doc.cut(StopReport.why(one), 60),
      place(view, one),
      commandWord(one.command),
      one.actor?.id ?? "",
      changes(one.changed)
    ])
  )
  return Doc.concat(
    gone(dropped),
    rows.length === 0 ? Doc.lines(Doc.line(Doc.span("no stops yet", "dim"))) : Doc.empty,
    Doc.list(
      rows.map((row) => [Doc.line(row)]),
      (shown) => {
        const since = all[shown]?.stop
        return View.again(view, "stops", since === undefined || shown === 0 ? { budget: 0 } : { since })
      }
    )
  )
}

/** `#2 10 (next, mcp:claude-code)`, `#3 not read`. The client is named where it differs from the one before. */
const valueText = (one: Value, before: Value | undefined): string => {
  const value =
    one.value === undefined ? (one.dropped === true ? "no longer kept" : "not read") : Doc.cut(one.value, 80)
  const where = one.function === undefined ? "" : ` in ${one.function}`
  const isNew = one.value !== undefined && before !== undefined && one.value !== before.value
  const by = [commandWord(one.command), one.actor?.id ?? ""].filter((word) => word !== "")
  return `#${one.stop} ${value}${where}${isNew && by.length > 0 ? ` (${by.join(", ")})` : ""}`
}

/** Widest line of values, in columns. */
const maxColumns = 100

/** Renders the answer of `history`: several values in a line. */
export const history = (view: View.View, { dropped, values }: Operations.Data<"history">): Doc.Doc => {
  const lines: Array<{ text: string; readonly first: number }> = []
  let before: Value | undefined
  for (const one of values) {
    const text = valueText(one, before)
    if (one.value !== undefined) before = one
    const last = lines.at(-1)
    if (last !== undefined && last.text.length + text.length + 3 <= maxColumns) last.text += `   ${text}`
    else lines.push({ text, first: one.stop })
  }
  return Doc.concat(
    gone(dropped),
    lines.length === 0 ? Doc.lines(Doc.line(Doc.span("no stops yet", "dim"))) : Doc.empty,
    Doc.list(
      lines.map(({ text }) => [Doc.line(text)]),
      (shown) => {
        const since = lines[shown]?.first
        return View.again(view, "history", since === undefined || shown === 0 ? { budget: 0 } : { since })
      }
    )
  )
}

/** Renders the answer of `report`: the document, or where it was written. */
export const report = (view: View.View, { file, markdown, stop }: Operations.Data<"report">): Doc.Doc =>
  file === undefined
    ? Doc.list(
        markdown
          .trimEnd()
          .split("\n")
          .map((line) => [Doc.line(line)]),
        () => View.again(view, "report", { budget: 0 })
      )
    : Doc.lines(Doc.line(`wrote stop #${stop} to ${View.path(view, file)}`))
