/**
 * Locations, frames and threads as text: on one line, as a call chain, or as a list.
 */
import { FunctionName, type Frame, type Location, type Stop } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as Variables from "./Variables.ts"
import * as View from "./View.ts"

/** `app.c:14`, or module and address if there is no source. */
export const place = (view: View.View, position: Location.Position): string => {
  const { file, line, column, module, address } = position
  const source = file === undefined ? undefined : `${View.path(view, file)}${line === undefined ? "" : `:${line}`}`
  const exact = source !== undefined && view.verbose === true && column !== undefined ? `${source}:${column}` : source
  const machine = [module === undefined ? undefined : View.basename(module), address].filter(
    (part) => part !== undefined
  )
  if (exact === undefined) return machine.join(" ")
  return view.verbose === true && machine.length > 0 ? `${exact} (${machine.join(" ")})` : exact
}

/** Renders `sum_scores app.c:14`. */
export const at = (view: View.View, position: Location.Position): Doc.Line => {
  const name = position.function
  const where = place(view, position)
  return name === undefined
    ? Doc.line(where)
    : Doc.line(Doc.span(View.functionName(view, name), "name"), where === "" ? "" : ` ${where}`)
}

/** Frames that a text leaves out, by runtime: `4 libc`, `2 libstdc++, 4 libc`; their number if the runtimes are unknown. */
export const leftOut = (hidden: number, counts: ReadonlyArray<Stop.FoldedFrames> = []): string => {
  const named = counts.filter(({ what }) => what !== "other").map(({ count, what }) => `${count} ${what}`)
  const other = counts.reduce((rest, { count, what }) => (what === "other" ? rest : rest - count), hidden)
  return [...named, ...(other > 0 ? [named.length === 0 ? `${other}` : `${other} other`] : [])].join(", ")
}

/** The frames of a report, and what it leaves out. */
export type Chain = Pick<
  Stop.StopReport,
  "frames" | "more_frames" | "deeper" | "hidden_frames" | "left_out" | "stack_cut"
>

/** The mark of a stack whose outermost callers may be missing. */
export const mayBeCut = "(the stack may be cut)"

/** ` [sum_scores < eval ×7 < main] (+4 libc hidden)`: the call chain, if there is more than one frame or its end is missing. */
export const chain = (view: View.View, report: Chain): string => {
  const { deeper, frames = [], hidden_frames: hidden = 0, left_out: counts, more_frames: more = 0 } = report
  const callers = frames.filter(({ raised }) => raised === undefined)
  const names = callers.slice(0, 5).map(({ function: name, repeat }, index) => {
    const isOpen = deeper === true && more === 0 && index === callers.length - 1
    const times = repeat === undefined ? "" : ` ×${repeat}${isOpen ? "+" : ""}`
    return `${View.functionName(view, name)}${times}`
  })
  const beyond = deeper === true ? ["…"] : more === 0 ? [] : [`… ${more} more`]
  const calls = names.length < 2 && frames[0]?.repeat === undefined ? "" : `  [${[...names, ...beyond].join(" < ")}]`
  const notes = [
    ...(report.stack_cut === true ? [mayBeCut] : []),
    ...(hidden === 0 ? [] : [`(+${leftOut(hidden, counts)} hidden)`])
  ]
  if (notes.length === 0) return calls
  return `${calls}${calls === "" ? " " : ""} ${notes.join(" ")}`
}

/** `raise (libc.so.6)`: where the program stopped below a frame with source. */
export const inside = ({ address, function: name, module }: Stop.StoppedIn): string => {
  if (name === undefined) return module ?? address ?? "a function without a name"
  return `${Doc.cut(FunctionName.short(name), 60)}${module === undefined ? "" : ` (${module})`}`
}

/** Renders one line per frame; `*` marks the selected frame. A label is a line of its own. */
export const rows = (
  view: View.View,
  frames: ReadonlyArray<Frame.Frame>,
  selected: number
): ReadonlyArray<Doc.Line> => {
  const digits = Math.max(...frames.map((frame) => String(frame.index).length), 1)
  return frames.map((frame) => {
    if (frame.label === true) return Doc.line(Doc.span(`${" ".repeat(digits + 2)}-- ${frame.function} --`, "dim"))
    const here = frame.index === selected
    const marker = `${here ? "*" : " "}${String(frame.index).padStart(digits)} `
    const reference = view.verbose === true ? `  ${frame.ref}` : ""
    const variables = frame.locals === undefined ? undefined : Variables.brief(frame.locals)
    return Doc.line(
      Doc.span(marker, here ? "current" : "dim"),
      ...at(view, frame),
      ...(variables === undefined ? [] : ["  ", ...variables]),
      ...(frame.raised === undefined
        ? []
        : [Doc.span(` (raised before${frame.raised === "" ? "" : `: ${Doc.cut(frame.raised, 60)}`})`, "dim")]),
      reference
    )
  })
}

/** Renders `thread 1 "app"`. */
export const thread = (view: View.View, value: Frame.Thread): string => {
  const name = value.name === undefined || value.name === "" ? "" : ` "${value.name}"`
  const system = view.verbose === true && value.os_id !== undefined ? ` (${value.os_id})` : ""
  return `thread ${value.number ?? value.id}${name}${system}`
}

/** A page of the stack of one thread, without the frames that are folded. */
export interface Stack {
  readonly thread: Frame.Thread
  readonly frames: ReadonlyArray<Frame.Frame>
  readonly hidden: number
  readonly left_out?: ReadonlyArray<Stop.FoldedFrames>
  readonly stack_cut?: boolean
  readonly selected?: number
}

/** Renders the stack of one thread. */
export const backtrace = (view: View.View, data: Stack): Doc.Doc => {
  const start = View.number(view, "start", 0)
  return Doc.concat(
    view.verbose === true ? Doc.lines(Doc.line(Doc.span(thread(view, data.thread), "heading"))) : Doc.empty,
    data.frames.length === 0 ? Doc.lines(Doc.line("no frames")) : Doc.empty,
    Doc.list(
      rows(view, data.frames, data.selected ?? 0).map((row) => [row]),
      (shown) => View.again(view, "backtrace", { start: start + shown }),
      () => View.again(view, "backtrace", { budget: 0 })
    ),
    data.stack_cut === true ? Doc.lines(Doc.line(Doc.span(` ${mayBeCut}`, "dim"))) : Doc.empty,
    data.hidden === 0
      ? Doc.empty
      : Doc.lines(
          Doc.line(
            Doc.span(
              ` (${leftOut(data.hidden, data.left_out)} frame${data.hidden === 1 ? "" : "s"} hidden${View.commands(view) ? ": --all-frames" : ""})`,
              "dim"
            )
          )
        )
  )
}
