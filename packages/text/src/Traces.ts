/**
 * The answers of `trace` and `hits` as text.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Change from "./Change.ts"
import * as Doc from "./Doc.ts"
import * as StopReport from "./StopReport.ts"
import * as View from "./View.ts"

type Hit = Operations.Data<"hits.list">["rows"][number]

const count = (number: number, noun: string, plural = "s") => `${number} ${noun}${number === 1 ? "" : plural}`

/** The values of a record: `i=3 total=10`. */
const values = ({ values }: Hit): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${Doc.cut(Change.shortAddresses(value), 60)}`)
    .join(" ")

const rows = (hits: ReadonlyArray<Hit>, withPoints: boolean): ReadonlyArray<Doc.Line> =>
  Doc.table(hits.map((hit) => [`${hit.hit}`, ...(withPoints ? [`point ${hit.point}`] : []), values(hit)])).map((row) =>
    Doc.line(row)
  )

const ends: Readonly<Record<Operations.Data<"trace">["end"], string>> = {
  max: "stopped at the limit",
  time: "stopped after the time",
  stop: "the program stopped",
  exit: "the program ended"
}

const dropped = (number: number): ReadonlyArray<Doc.Line> =>
  number === 0 ? [] : [Doc.line(Doc.span(`… ${count(number, "older record")} no longer kept`, "dim"))]

/** Renders the answer of `trace`: what was recorded, how the trace ended, and the newest records. */
export const trace = (view: View.View, data: Operations.Data<"trace">, stop: number | undefined): Doc.Doc => {
  const seconds = (data.elapsed_ms / 1000).toFixed(data.elapsed_ms < 10_000 ? 2 : 0)
  const places = data.points.map(({ at, hits, id }) => (data.points.length === 1 ? at : `${at} (point ${id}: ${hits})`))
  const head = `trace ${data.id} ${places.join(", ")}: ${count(data.hits, "record")} in ${seconds} s · by ${data.by} · ${ends[data.end]}`
  const more =
    data.hits > data.last.length ? [Doc.line(Doc.span(View.other(view, "hits.list", { id: data.id }), "dim"))] : []
  const missed = [
    ...(data.later === undefined
      ? []
      : [`${count(data.later, "pass", "es")} after the limit before the program was stopped`]),
    ...(data.lost === undefined ? [] : [`${count(data.lost, "pass", "es")} lost: the kernel had no room`])
  ].map((text) => Doc.line(text))
  return Doc.concat(
    Doc.lines(Doc.line(head), ...missed, ...dropped(data.dropped), ...rows(data.last, data.points.length > 1), ...more),
    data.report === undefined ? Doc.empty : StopReport.render(view, data.report, stop)
  )
}

/** Number of records of a run that are shown. */
const shownOfRun = 5

/** Renders what `run --trace` recorded: how much, and the newest records. `isKept` is true if a session keeps them. */
export const ofRun = (view: View.View, trace: Operations.RunTrace, isKept: boolean): Doc.Doc => {
  const { points } = trace
  const places = points.map(({ at, hits, id }) => (points.length === 1 ? at : `${at} (point ${id}: ${hits})`))
  const head = `trace ${trace.id} ${places.join(", ")}: ${count(trace.hits, "record")} · by ${trace.by}${trace.reason === undefined ? "" : ` (not by rsp: ${Doc.cut(trace.reason, 80)})`}`
  const shown = trace.rows.slice(-shownOfRun)
  const more =
    isKept && trace.hits > shown.length
      ? [Doc.line(Doc.span(View.other(view, "hits.list", { id: trace.id }), "dim"))]
      : []
  return Doc.lines(Doc.line(head), ...rows(shown, points.length > 1), ...more)
}

/** Renders the answer of `hits list`. */
export const list = (view: View.View, data: Operations.Data<"hits.list">): Doc.Doc => {
  if (data.total === 0) return Doc.lines(Doc.line(Doc.span(`trace ${data.id} has no records`, "dim")))
  const withPoints = new Set(data.rows.map(({ point }) => point)).size > 1
  const before = data.total - data.rows.length
  return Doc.concat(
    before === 0
      ? Doc.empty
      : Doc.lines(
          Doc.line(
            Doc.span(
              `… ${before} of ${data.total} not shown${data.dropped === 0 ? "" : `, ${data.dropped} no longer kept`}`,
              "dim"
            )
          )
        ),
    Doc.list(
      rows(data.rows, withPoints).map((row) => [row]),
      (shown) => View.again(view, "hits.list", { last: Math.max(1, shown) })
    )
  )
}

/** Renders the answer of `hits diff`. */
export const diff = ({ changes, first, second }: Operations.Data<"hits.diff">): Doc.Doc =>
  Doc.lines(
    ...(changes.length === 0
      ? [Doc.line(`${first} and ${second}: no difference`)]
      : changes.map(({ expression, new: after = "-", old = "-" }) => Doc.line(`${expression} ${old} -> ${after}`)))
  )

/** Renders the answer of `hits trend`. */
export const trend = (data: Operations.Data<"hits.trend">): Doc.Doc => {
  const bounds = data.min === undefined ? "" : ` · min ${data.min} max ${data.max ?? data.min}`
  const ends = data.first === undefined ? "no records" : `${data.first} -> ${data.last ?? data.first}`
  return Doc.lines(
    Doc.line(`${data.field}: ${ends}${bounds} · ${count(data.changes, "change")} in ${count(data.records, "record")}`)
  )
}

/** Renders the answer of `hits export`. */
export const saved = ({ file, records }: Operations.Data<"hits.export">): Doc.Doc =>
  Doc.lines(Doc.line(`wrote ${count(records, "record")} to ${file}`))
