/**
 * Captured output as sanitised text. Lines of stderr start with `! ` if stdout is shown too.
 */
import type { Operations, Output } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import { clock } from "./History.ts"
import * as View from "./View.ts"

interface Piece {
  readonly seq: number
  readonly channel: Output.OutputEntry["channel"]
  readonly text: string
  readonly time: number
}

/** Joins successive pieces of one channel, since a line may arrive in several. */
const joined = (entries: ReadonlyArray<Output.OutputEntry>): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  for (const { seq, channel, text, time } of entries) {
    const last = pieces.at(-1)
    if (last?.channel === channel && !last.text.endsWith("\n"))
      pieces.splice(-1, 1, { ...last, text: last.text + text })
    else pieces.push({ seq, channel, text, time })
  }
  return pieces
}

const prefix = (channel: Output.OutputEntry["channel"], several: boolean): Doc.Span | string => {
  if (!several || channel === "stdout") return ""
  return channel === "stderr" ? Doc.span("! ", "error") : Doc.span(`${channel}: `, "dim")
}

/** Renders entries as lines, with the time of day if `times` is set. */
export const lines = (
  entries: ReadonlyArray<Output.OutputEntry>,
  times = false
): ReadonlyArray<{ readonly seq: number; readonly line: Doc.Line }> => {
  const several = new Set(entries.map(({ channel }) => channel)).size > 1
  return joined(entries).flatMap(({ seq, channel, text, time }) => {
    const stamp = times ? Doc.span(`${clock(time)} `, "dim") : ""
    return Doc.paragraph(text).map((line) => ({ seq, line: Doc.line(stamp, prefix(channel, several), ...line) }))
  })
}

/** Renders the answer of `output`. */
export const render = (view: View.View, data: Operations.Data<"output">): Doc.Doc => {
  if (data.entries.length === 0 && data.text !== "") {
    return Doc.list(
      Doc.paragraph(data.text).map((line) => [line]),
      () => View.again(view, "output", { budget: 0 })
    )
  }
  const rows = lines(data.entries, view.input?.["timestamps"] === true)
  const more = (shown: number) => {
    const since = rows[shown]?.seq
    return since === undefined || since === rows[0]?.seq
      ? View.again(view, "output", { budget: 0 })
      : View.again(view, "output", { since })
  }
  return Doc.concat(
    data.dropped === 0
      ? Doc.empty
      : Doc.lines(Doc.line(Doc.span(`… ${data.dropped} older entries were dropped`, "dim"))),
    Doc.list(
      rows.map(({ line }) => [line]),
      more
    )
  )
}

/** Renders the answer of `raw`. */
export const raw = (view: View.View, data: Operations.Data<"raw">, state: string): Doc.Doc =>
  Doc.concat(
    Doc.list(
      Doc.paragraph(data.output).map((line) => [line]),
      () => View.again(view, "raw", { budget: 0 })
    ),
    data.state_changed ? Doc.lines(Doc.line(Doc.span(`the program is now ${state}`, "warning"))) : Doc.empty
  )
