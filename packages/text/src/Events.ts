/**
 * The history of a session as lines (number, time of day, stop, kind, text), and the answer of `input`.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as View from "./View.ts"

/** Formats milliseconds since 1970 as the time of day in UTC: `12:30:05.250`. */
export const clock = (time: number): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? "--:--:--.---" : (/T(.*)Z$/.exec(date.toISOString())?.[1] ?? "")
}

/** Renders the answer of `events`. */
export const events = (view: View.View, data: Operations.Data<"events">): Doc.Doc => {
  const rows = Doc.table(
    data.events.map(({ actor, kind, seq, stop, text, time }) => [
      String(seq),
      clock(time),
      stop === 0 ? "" : `#${stop}`,
      kind,
      actor?.id ?? "",
      text
    ])
  )
  return Doc.concat(
    data.dropped === 0
      ? Doc.empty
      : Doc.lines(Doc.line(Doc.span(`… ${data.dropped} older events were dropped`, "dim"))),
    rows.length === 0 ? Doc.lines(Doc.line(Doc.span("no events yet", "dim"))) : Doc.empty,
    Doc.list(
      rows.map((row) => [Doc.line(row)]),
      (shown) => {
        const since = data.events[shown]?.seq
        return View.again(view, "events", since === undefined || shown === 0 ? { budget: 0 } : { since })
      }
    )
  )
}

/** Renders the answer of `input`. */
export const input = ({ bytes, eof, pending }: Operations.Data<"input">): Doc.Doc =>
  Doc.lines(
    Doc.line(
      `sent ${bytes} ${bytes === 1 ? "byte" : "bytes"}${eof ? ", end of input" : ""}`,
      pending ? Doc.span(" · waiting until the program reads them", "warning") : ""
    )
  )
