/**
 * The answers of `back` and `last-write` as text: what wrote the value, the proof, and the stop.
 */
import { FunctionName, type Operations } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as StopReport from "./StopReport.ts"
import * as View from "./View.ts"

type Found = Operations.Data<"back">

/** `written by link crash.c:22: 0x0 -> 0x26fc (write 4 of 4)`. */
const written = (view: View.View, { location, watch, write }: Found): string | undefined => {
  if (write === undefined) return undefined
  const { file, line } = { ...location, ...watch?.written_at }
  const name = watch?.written_by ?? location?.function
  const place = file === undefined || line === undefined ? "" : ` ${View.path(view, file)}:${line}`
  const by = name === undefined && place === "" ? "" : ` by ${Doc.cut(FunctionName.short(name ?? ""), 80)}${place}`
  const old = write.old === undefined ? "" : `${StopReport.watched(write.old)} -> `
  return `written${by}: ${old}${StopReport.watched(write.new)} (write ${write.hit} of ${write.of})`
}

const objects = {
  same: undefined,
  allocation: "the call that allocated the memory made this write",
  scope: "at this write the variable was not in scope: another variable may have had its memory",
  unknown: "whether the memory belonged to the same object at this write is unknown"
} as const

/** Says that a write left the bytes of its memory as they were. */
const unchanged = ({ new: now, old }: NonNullable<Found["write"]>) =>
  old === now ? "the memory had this value before the write" : undefined

/** Renders the answer of `back` or `last-write`. */
export const render = (view: View.View, found: Found, stop: number | undefined): Doc.Doc => {
  const { anchor, by, elapsed_ms = 0, runs, session } = found
  const seconds = (elapsed_ms / 1000).toFixed(1)
  const proof = `${by}, ${runs} ${runs === 1 ? "run" : "runs"}, ${seconds} s · same as ${anchor.session} at stop #${anchor.stop}`
  const first = written(view, found)
  const object = found.write === undefined ? undefined : (objects[found.write.object] ?? unchanged(found.write))
  return Doc.concat(
    Doc.lines(
      ...(first === undefined ? [] : [Doc.line(Doc.span(first, "heading"))]),
      ...(object === undefined ? [] : [Doc.line(object)]),
      Doc.line(`session ${session}`, Doc.span(` · ${proof}`, "dim"))
    ),
    StopReport.render(view, found, stop)
  )
}
