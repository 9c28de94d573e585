/**
 * Captured output as sanitised text. Lines of stderr start with `! ` if stdout is shown too.
 */
import { type Operations, type Output, OutputPage } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import { clock } from "./Events.ts"
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

/** Renders entries as lines, with the time of day if `times` is set. With `merged` they came over a terminal: CR LF ends a line. */
export const lines = (
  entries: ReadonlyArray<Output.OutputEntry>,
  { merged = false, times = false }: { readonly merged?: boolean; readonly times?: boolean } = {}
): ReadonlyArray<{ readonly seq: number; readonly line: Doc.Line }> => {
  const several = new Set(entries.map(({ channel }) => channel)).size > 1
  return joined(entries).flatMap(({ seq, channel, text, time }) => {
    const stamp = times ? Doc.span(`${clock(time)} `, "dim") : ""
    const shown = merged ? text.replaceAll("\r\n", "\n") : text
    return Doc.paragraph(shown).map((line) => ({ seq, line: Doc.line(stamp, prefix(channel, several), ...line) }))
  })
}

/** Formats a number of bytes: `812 B`, `3.4 KB`, `2.1 MB`. */
const bytes = (count: number): string =>
  count < 1000 ? `${count} B` : count < 1e6 ? `${(count / 1e3).toFixed(1)} KB` : `${(count / 1e6).toFixed(1)} MB`

/** Renders the answer of `output`, a page that its caller has cut. */
export const render = (view: View.View, data: Operations.Data<"output">): Doc.Doc => {
  const note = (text: string) => Doc.lines(Doc.line(Doc.span(text, "dim")))
  const before = OutputPage.previousOf(data)
  const isCut = data.truncated === true
  const rows = lines(data.entries, {
    merged: data.channels === "merged",
    times: view.input?.["timestamps"] === true
  })
  return Doc.concat(
    data.dropped === 0 ? Doc.empty : note(`… ${data.dropped} older entries were dropped`),
    isCut && before !== undefined
      ? note(`… ${bytes(data.earlier ?? 0)} before this · ${View.again(view, "output", { before })}`)
      : Doc.empty,
    // The page was cut to the budget, so no line of it is left out.
    rows.length === 0 ? Doc.empty : Doc.lines(...rows.map(({ line }) => line)),
    isCut && before === undefined
      ? note(`… more · ${View.again(view, "output", { since: OutputPage.nextOf(data) })}`)
      : Doc.empty
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
