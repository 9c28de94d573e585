/**
 * Threads, the selected frame, and the stacks of several threads as text.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as Frames from "./Frames.ts"
import * as Source from "./Source.ts"
import * as View from "./View.ts"

/** `app.c:14 sum_scores`, or the function alone if it has no source. */
const locationOf = (view: View.View, thread: Operations.ThreadStatus): string => {
  const { location } = thread
  if (location === undefined) return ""
  const below = thread.stopped_in === undefined ? "" : ` (in ${Frames.inside(thread.stopped_in)})`
  const name = location.function === undefined ? "" : View.functionName(view, location.function)
  if (location.file === undefined)
    return view.verbose === true || name === "" ? `${name} ${Frames.place(view, location)}`.trim() : name
  return `${Frames.place(view, location)} ${name}`.trimEnd() + below
}

const cells = (view: View.View, thread: Operations.ThreadStatus): ReadonlyArray<string> => {
  const name = [
    thread.os_id === undefined || (thread.os_id === thread.id && thread.number === undefined)
      ? undefined
      : String(thread.os_id),
    thread.name
  ].filter((part) => part !== undefined && part !== "")
  return [
    `${thread.current ? "*" : " "} Thread ${thread.number ?? thread.id}${name.length === 0 ? "" : ` (${name.join(" ")})`}`,
    thread.state,
    locationOf(view, thread),
    thread.stop_reason ?? ""
  ]
}

/** Renders one line per thread; `*` marks the selected one. */
export const list = (
  view: View.View,
  data: { readonly threads: ReadonlyArray<Operations.ThreadStatus>; readonly total: number }
): Doc.Doc => {
  if (data.threads.length === 0) return Doc.lines(Doc.line("no threads"))
  const rows = Doc.table(data.threads.map((thread) => cells(view, thread)))
  const start = View.number(view, "start", 0)
  return Doc.list(
    rows.map((row, index) => [Doc.line(Doc.span(row, data.threads[index]?.current === true ? "current" : "plain"))]),
    (shown) => View.again(view, "threads", { start: start + shown })
  )
}

/** Renders the selected thread. */
export const one = (view: View.View, thread: Operations.ThreadStatus): Doc.Doc =>
  list(view, { threads: [{ ...thread, current: true }], total: 1 })

/** Renders the selected frame with the source around it. */
export const frame = (view: View.View, data: Operations.FrameView): Doc.Doc =>
  Doc.lines(
    ...Frames.rows(view, [data.frame], data.frame.index),
    ...(data.source === undefined ? [] : Source.render(data.source, data.frame.line)),
    ...(data.end === undefined ? [] : [Doc.line(Doc.span(` (the ${data.end} frame)`, "dim"))])
  )

/** Renders the stacks of several threads, each below its thread. */
export const stacks = (view: View.View, threads: ReadonlyArray<Frames.Stack>): Doc.Doc =>
  Doc.list(
    threads.map(({ frames, hidden, left_out: counts, stack_cut: isCut, thread }) => [
      Doc.line(Doc.span(Frames.thread(view, thread), "heading")),
      ...Frames.rows(view, frames, -1),
      ...(isCut === true ? [Doc.line(Doc.span(` ${Frames.mayBeCut}`, "dim"))] : []),
      ...(hidden === 0 ? [] : [Doc.line(Doc.span(` (+${Frames.leftOut(hidden, counts)} hidden)`, "dim"))])
    ]),
    () => View.again(view, "backtrace", { budget: 0 })
  )
