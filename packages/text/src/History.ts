/**
 * A session's history as lines: number, time of day, kind, what it says. And what became of input.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as View from "./View.ts"

/** A time in milliseconds since 1970 as hours to milliseconds, UTC. */
export const clock = (time: number): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? "--:--:--.---" : (/T(.*)Z$/.exec(date.toISOString())?.[1] ?? "")
}

/** The answer of `events`. */
export const events = (view: View.View, data: Operations.Data<"events">): Doc.Doc => {
  const rows = Doc.table(
    data.events.map(({ kind, seq, stop, text, time }) => [
      String(seq),
      clock(time),
      stop === 0 ? "" : `#${stop}`,
      kind,
      text
    ])
  )
  return Doc.concat(
    data.dropped === 0
      ? Doc.empty
      : Doc.lines(Doc.line(Doc.span(`… ${data.dropped} older events are no longer kept`, "dim"))),
    rows.length === 0 ? Doc.lines(Doc.line(Doc.span("nothing yet", "dim"))) : Doc.empty,
    Doc.list(
      rows.map((row) => [Doc.line(row)]),
      (shown) => {
        const since = data.events[shown]?.seq
        return View.again(view, "events", since === undefined ? { budget: 0 } : { since })
      }
    )
  )
}

/** The answer of `input`. */
export const input = ({ bytes, eof, pending }: Operations.Data<"input">): Doc.Doc =>
  Doc.lines(
    Doc.line(
      `sent ${bytes} bytes${eof ? ", end of input" : ""}`,
      pending ? Doc.span(" · waiting until the program reads them", "warning") : ""
    )
  )
