/**
 * Breakpoints as text: one with its resolved location, and the list of all.
 */
import type { Breakpoint } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as Frames from "./Frames.ts"
import * as View from "./View.ts"

const unconditional = (breakpoint: Breakpoint.Breakpoint) => breakpoint.requested.text.replace(/\s+if\s.*$/s, "")

const asked = (view: View.View, breakpoint: Breakpoint.Breakpoint): string => {
  const { file, line, function: name } = breakpoint.requested
  if (file !== undefined && line !== undefined) return `${View.path(view, file)}:${line}`
  return name === undefined ? unconditional(breakpoint) : View.functionSignature(view, name)
}

const notes = (breakpoint: Breakpoint.Breakpoint): string =>
  [
    breakpoint.condition === undefined ? "" : ` if ${Doc.cut(breakpoint.condition, 80)}`,
    breakpoint.hits_wanted === undefined ? "" : ` hits ${breakpoint.hits_wanted}`,
    breakpoint.log === undefined ? "" : ` log ${JSON.stringify(Doc.cut(breakpoint.log, 80))}`,
    breakpoint.thread === undefined ? "" : ` thread ${breakpoint.thread}`,
    breakpoint.thread_name === undefined ? "" : ` thread /${Doc.cut(breakpoint.thread_name, 40)}/`,
    breakpoint.eval === undefined ? "" : ` eval ${breakpoint.eval.map((one) => Doc.cut(one, 40)).join(", ")}`,
    breakpoint.cmd === undefined ? "" : ` cmd ${breakpoint.cmd.map((one) => Doc.cut(one, 40)).join("; ")}`,
    breakpoint.continue === true ? " continue" : "",
    breakpoint.max === undefined || breakpoint.log !== undefined ? "" : ` max ${breakpoint.max}`,
    breakpoint.on_condition_error === "continue" ? " errors continue" : "",
    breakpoint.name === undefined ? "" : ` "${breakpoint.name}"`,
    breakpoint.temporary ? " (temporary)" : "",
    breakpoint.updated === true ? " (updated)" : breakpoint.existing === true ? " (existing)" : ""
  ].join("")

const where = (view: View.View, breakpoint: Breakpoint.Breakpoint): string => {
  const [first, second] = breakpoint.locations
  if (first === undefined) return asked(view, breakpoint)
  if (second !== undefined) {
    const places = breakpoint.locations.slice(0, 5).map((location) => Frames.place(view, location))
    const more = breakpoint.locations.length > places.length ? ", …" : ""
    return `${asked(view, breakpoint)} (${breakpoint.locations.length} places: ${places.join(", ")}${more})`
  }
  const { line } = breakpoint.requested
  const moved = breakpoint.moved && line !== undefined ? ` (moved from line ${line})` : ""
  const place = Frames.place(view, first)
  if (place === "") return `${asked(view, breakpoint)} (its place is unknown until it is called)`
  const inside = first.function === undefined ? "" : ` in ${View.functionSignature(view, first.function)}`
  return `${place}${moved}${inside}`
}

/** `watchpoint 4 on counter (4 bytes at 0x4c010, write)`. */
const watchpoint = (breakpoint: Breakpoint.Breakpoint): Doc.Line => {
  const { access = "write", address = "?", id, requested, size = 0 } = breakpoint
  const memory = ` on ${Doc.cut(requested.text, 80)} (${size} ${size === 1 ? "byte" : "bytes"} at ${address}, ${access})${notes(breakpoint)}`
  return Doc.line(Doc.span(`watchpoint ${id}`, "heading"), memory)
}

/** Renders `breakpoint 2 at app.c:14 (moved from line 13) in sum_scores`. */
export const one = (view: View.View, breakpoint: Breakpoint.Breakpoint): Doc.Line => {
  if (breakpoint.kind === "watch") return watchpoint(breakpoint)
  const kind = breakpoint.kind === "catch" ? "catchpoint" : breakpoint.log === undefined ? "breakpoint" : "logpoint"
  const words = `${kind} ${breakpoint.id}`
  const reason = breakpoint.reason === undefined || breakpoint.resolved ? "" : ` (${Doc.cut(breakpoint.reason, 160)})`
  return breakpoint.resolved
    ? Doc.line(Doc.span(words, "heading"), ` at ${where(view, breakpoint)}${notes(breakpoint)}`)
    : Doc.line(Doc.span(words, "heading"), ` pending: ${asked(view, breakpoint)}${notes(breakpoint)}${reason}`)
}

/** Returns a line for each breakpoint that moved or is pending. */
export const movedOrPending = (
  view: View.View,
  breakpoints: ReadonlyArray<Breakpoint.Breakpoint>
): ReadonlyArray<Doc.Line> =>
  breakpoints.filter(({ resolved, moved }) => !resolved || moved).map((breakpoint) => one(view, breakpoint))

const state = (breakpoint: Breakpoint.Breakpoint) =>
  !breakpoint.enabled ? "off" : breakpoint.resolved ? "on" : "pending"

const listed = (view: View.View, breakpoint: Breakpoint.Breakpoint): string => {
  if (breakpoint.kind === "watch") return `watch ${Doc.cut(breakpoint.requested.text, 60)}`
  if (breakpoint.kind === "catch") return `catch ${breakpoint.requested.text}`
  const [first, second] = breakpoint.locations
  const places = second === undefined ? "" : ` (${breakpoint.locations.length} places)`
  return breakpoint.kind === "line" && first !== undefined && second === undefined
    ? Frames.place(view, first)
    : `${asked(view, breakpoint)}${places}`
}

/** `1 on      app.c:14            hits 2  if i > 0`, columns aligned. */
export const list = (view: View.View, breakpoints: ReadonlyArray<Breakpoint.Breakpoint>): Doc.Doc => {
  if (breakpoints.length === 0) return Doc.lines(Doc.line("no breakpoints"))
  const places = breakpoints.map((breakpoint) => listed(view, breakpoint))
  const digits = Math.max(...breakpoints.map(({ id }) => String(id).length))
  const columns = Math.max(18, ...places.map(Doc.width))
  const hits = Math.max(...breakpoints.map(({ hit_count }) => String(hit_count).length))
  const rows = breakpoints.map((breakpoint, index) => {
    const how = state(breakpoint)
    const counted = breakpoint.resolved ? `hits ${String(breakpoint.hit_count).padEnd(hits)}` : ""
    const note = `${breakpoint.access === undefined ? "" : ` ${breakpoint.access}`}${notes(breakpoint)}`
    return Doc.line(
      Doc.span(String(breakpoint.id).padStart(digits), "number"),
      Doc.span(` ${how.padEnd(7)} `, how === "on" ? "plain" : "dim"),
      Doc.pad(places[index] ?? "", columns),
      `  ${counted}`,
      note === "" ? "" : ` ${note}`
    )
  })
  return Doc.list(
    rows.map((row) => [row]),
    () => View.again(view, "breakpoint.list", { budget: 0 })
  )
}

const who = {
  adapter: "the adapter",
  "debugger-command": "a command of the debugger",
  manager: "the manager, after each hit"
} as const

const writers = {
  script: "a script in the debugger",
  adapter: "the adapter",
  manager: "the manager, after each hit"
} as const

/** `  hit 3 at stop #7, thread 1: i = 2`. */
const hit = ({ hit: number, stop, thread, values = {} }: Breakpoint.Hit): Doc.Line => {
  const said = Object.entries(values).map(([expression, value]) => `${Doc.cut(expression, 40)} = ${Doc.cut(value, 80)}`)
  const where = `${stop === undefined ? "" : ` at stop #${stop}`}${thread === undefined ? "" : `, thread ${thread}`}`
  return Doc.line(`  hit ${number}${where}${said.length === 0 ? "" : `: ${said.join(", ")}`}`)
}

/** Renders one breakpoint with all its locations, options and latest hits. */
export const info = (
  view: View.View,
  breakpoint: Breakpoint.Breakpoint & {
    readonly history: ReadonlyArray<Breakpoint.Hit>
    readonly log_by?: keyof typeof writers
  }
): Doc.Doc =>
  Doc.lines(
    one(view, breakpoint),
    Doc.line(
      `${breakpoint.enabled ? "enabled" : "disabled"}, hits ${breakpoint.hit_count}, kept by ${who[breakpoint.by]}${
        breakpoint.log_by === undefined ? "" : `, messages by ${writers[breakpoint.log_by]}`
      }`
    ),
    ...breakpoint.locations.map(({ address, function: name, ...location }) =>
      Doc.line(
        "  ",
        [
          location.file === undefined ? "" : Frames.place(view, location),
          name === undefined ? "" : View.functionSignature(view, name),
          address ?? ""
        ]
          .filter((part) => part !== "")
          .join("  ")
      )
    ),
    ...breakpoint.history.map(hit)
  )

/** Renders `removed breakpoints 1, 2`. */
export const removed = (ids: ReadonlyArray<number>): Doc.Doc =>
  Doc.lines(
    Doc.line(ids.length === 0 ? "no breakpoints" : `removed breakpoint${ids.length === 1 ? "" : "s"} ${ids.join(", ")}`)
  )
