/**
 * The stop report as text: reason, location, source, locals and new output, in about 300 bytes.
 */
import { FunctionName, type Location, type Operations, type Stop } from "@sigtrap/protocol"
import * as Breakpoints from "./Breakpoints.ts"
import * as Change from "./Change.ts"
import * as Doc from "./Doc.ts"
import * as Exceptions from "./Exceptions.ts"
import * as Frames from "./Frames.ts"
import * as Output from "./Output.ts"
import * as Sanitise from "./Sanitise.ts"
import * as Source from "./Source.ts"
import * as Variables from "./Variables.ts"
import * as View from "./View.ts"
import * as EndedRun from "./EndedRun.ts"

/** Stop reasons to which the debugger's description adds nothing. */
const plain: ReadonlySet<Stop.StopReason> = new Set([
  "breakpoint",
  "function-breakpoint",
  "instruction-breakpoint",
  "step",
  "finish",
  "until",
  "goto",
  "pause",
  "entry",
  "restart"
])

/** Reasons that do not name the breakpoints at the stop, which belong to the debugger. */
const unnumbered: ReadonlySet<Stop.StopReason> = new Set<Stop.StopReason>(["until", "panic", "assert", "sanitizer"])

/** The parts of an answer that describe why the program stopped. */
export interface Why {
  readonly reason?: Stop.StopReason
  readonly raw_reason?: string
  readonly description?: string
  readonly breakpoints?: ReadonlyArray<number>
  readonly hit_counts?: ReadonlyArray<number>
  readonly returned_from?: string
}

/** `breakpoint 1 (hit 2)`, `step`, `step · breakpoint 1 (hit 2)`, `signal: SIGSEGV …`. */
export const why = ({
  reason,
  raw_reason,
  description,
  breakpoints = [],
  hit_counts = [],
  returned_from
}: Why): string => {
  if (reason === undefined) return ""
  const ids = (unnumbered.has(reason) ? [] : breakpoints).map((id, index) => {
    const hits = hit_counts[index] ?? 1
    return hits > 1 ? `${id} (hit ${hits})` : String(id)
  })
  const word = reason.endsWith("breakpoint") ? "breakpoint" : reason === "other" ? (raw_reason ?? reason) : reason
  const numbered = (kind: string) => `${kind}${ids.length > 1 ? "s" : ""} ${ids.join(", ")}`
  // Another thread is at the breakpoints where a step ended.
  const beside = ids.length === 0 ? "" : ` · ${numbered("breakpoint")}`
  if (returned_from !== undefined)
    return `${word}: returned from ${Doc.cut(FunctionName.short(returned_from), 80)}${beside}`
  const name = ids.length === 0 ? word : word.endsWith("point") ? numbered(word) : `${word}${beside}`
  if (description === undefined || description === "" || plain.has(reason)) return name
  const text = Doc.cut(Sanitise.withoutColours(description), 160)
  return text.startsWith(word) ? text : `${name}: ${text}`
}

/** ` · SIGABRT`: the signal of a stop whose reason is not the signal itself. */
const signalOf = ({ reason, signal }: Stop.StopReport): string =>
  signal === undefined || reason === "signal" || reason === "exception" ? "" : ` · ${signal}`

const serious: ReadonlySet<Stop.StopReason | undefined> = new Set<Stop.StopReason | undefined>([
  "signal",
  "exception",
  "sanitizer",
  "panic",
  "assert"
])

/** True if a stop for this reason is a failure of the program. */
export const isFailure = (reason: Stop.StopReason | undefined): boolean => serious.has(reason)

/** A value of watched memory, shortened. */
export const watched = (text: string): string => Doc.cut(Change.shortAddresses(text), 60)

/** `watchpoint 4: counter 10 -> 11`, or `watchpoint 4: counter = 11` if the value before the write is not known. */
const change = ({ watch }: Stop.StopReport): string | undefined => {
  if (watch === undefined) return undefined
  const written = watch.old === undefined ? `= ${watched(watch.new)}` : Change.text(watch.old, watch.new, 60)
  return `watchpoint ${watch.id}: ${Doc.cut(watch.expression, 60)} ${written}`
}

/** `watchpoint 4 reported no write, but counter changed: 10 -> 11`. */
const missed = ({ expression, id, new: value, old }: Stop.WatchChange): Doc.Line => {
  const change = old === undefined ? watched(value) : Change.text(old, value, 60)
  const text = `watchpoint ${id} reported no write, but ${Doc.cut(expression, 60)} changed: ${change}`
  const why = "the kernel or another process wrote it, or this machine reports no writes"
  return Doc.line(Doc.span(`${text} (${why})`, "warning"))
}

const threads = (view: View.View, report: Stop.StopReport): string => {
  const { thread, other_threads: others = [] } = report
  if (thread === undefined || (report.threads === 1 && view.verbose !== true)) return ""
  const alone = others.length === 0 && view.verbose !== true && !serious.has(report.reason)
  const nameless = thread.name === undefined || thread.name === ""
  if (alone && (nameless || view.detail === "line")) return ""
  const also = others.slice(0, 5).map(({ id, number }) => number ?? id)
  const more = others.length > also.length ? ", …" : ""
  return ` · ${Frames.thread(view, thread)}${also.length === 0 ? "" : ` (also ${also.join(", ")}${more})`}`
}

/** ` · ran 14`: the line that a step executed. */
const ran = (view: View.View, { ran: lines = [] }: Stop.StopReport): string => {
  const places = lines.map(({ file, line }) => (file === undefined ? String(line) : `${View.path(view, file)}:${line}`))
  return places.length === 0 ? "" : ` · ran ${places.join(", ")}`
}

/** ` · written by ledger.c:17`: the line that wrote to watched memory, which the program has passed. */
const written = (view: View.View, { watch }: Stop.StopReport): string => {
  const { file, line } = watch?.written_at ?? {}
  return file === undefined || line === undefined ? "" : ` · written by ${View.path(view, file)}:${line}`
}

/** ` · breakpoint 3`: the breakpoints at the place where a watchpoint stopped the program. */
const beside = ({ breakpoints = [], watch }: Stop.StopReport): string => {
  const others = watch === undefined ? [] : breakpoints.filter((id) => id !== watch.id)
  return others.length === 0 ? "" : ` · breakpoint${others.length > 1 ? "s" : ""} ${others.join(", ")}`
}

/** Renders the first line: what ended the wait. `stop` is the number of the stop. */
const headline = (view: View.View, report: Stop.StopReport, stop: number | undefined, now?: number): Doc.Line => {
  switch (report.event) {
    case "stopped":
      return Doc.line(
        Doc.span(
          `${now === undefined ? "stopped" : "past stop"}${stop === undefined ? "" : ` #${stop}`} ${now === undefined ? "" : `(now at #${now}) `}${change(report) ?? why(report)}${signalOf(report)}`,
          "heading"
        ),
        ran(view, report),
        written(view, report),
        beside(report),
        threads(view, report)
      )
    case "exited":
      return report.signal === undefined
        ? Doc.line(Doc.span(report.exit_code === undefined ? "exited" : `exited ${report.exit_code}`, "heading"))
        : Doc.line(Doc.span(`ended by ${report.signal}`, "heading"))
    case "running":
      return Doc.line(Doc.span("running", "heading"), Doc.span(View.commands(view) ? ` · ${next(view)}` : "", "dim"))
    case "loaded":
      return Doc.line(
        Doc.span("loaded, not started", "heading"),
        Doc.span(View.commands(view) ? ` · ${View.other(view, "run")}` : "", "dim")
      )
    case "terminated":
    case "detached":
      return Doc.line(Doc.span(report.event, "heading"))
  }
}

/** The commands to use while the program runs. */
export const next = (view: View.View): string => `${View.other(view, "wait")} or ${View.other(view, "pause")}`

/** `+24 B output: "hello"`: the size of new output, and its last line in quotes. */
export const output = (summary: Stop.OutputSummary | undefined, ended: boolean): ReadonlyArray<Doc.Line> => {
  if (summary === undefined || summary.bytes === 0) return []
  const last = Sanitise.withoutColours(summary.tail ?? "")
    .trimEnd()
    .split("\n")
    .at(-1)
  const words = ended ? `output +${summary.bytes} B` : `+${summary.bytes} B output`
  return [Doc.line(last === undefined || last === "" ? words : `${words}: "${Doc.cut(last, 120)}"`)]
}

const where = (view: View.View, report: Stop.StopReport): ReadonlyArray<Doc.Line> => {
  if (report.location === undefined) return []
  const chain = Frames.chain(view, report)
  const full = view.detail === "full" && (report.frames?.length ?? 0) > 1
  const below = report.stopped_in === undefined ? "" : ` in ${Frames.inside(report.stopped_in)}, called from here`
  return [Doc.line(...Frames.at(view, report.location), below, Doc.span(full ? "" : chain, "dim"))]
}

/** `moved on: now at #14, resumed by mcp:agent`: where the session is after the stop of the report. */
const movedOn = ({ moved_on: moved }: Stop.StopReport): ReadonlyArray<Doc.Line> =>
  moved === undefined
    ? []
    : [
        Doc.line(
          `moved on: now ${moved.state === undefined ? "at" : `${moved.state} after`} #${moved.stop}`,
          moved.by === undefined ? "" : `, resumed by ${moved.by.id}`
        )
      ]

/** True if two places are the same line. */
const isSame = (one: Location.Position, other: Location.Position | undefined): boolean =>
  one.file === other?.file && one.line === other?.line

/** `3: /x total = 0xa`: an expression that was evaluated at the stop, with the number of its display. */
export const evaluation = ({ changed, display, error, expression, format, ref, value }: Stop.Evaluation): Doc.Line => {
  const number = display === undefined ? "" : `${display}: ${format === undefined ? "" : `/${format} `}`
  const name = Doc.span(Doc.cut(expression, 60), "name")
  if (error !== undefined) return Doc.line(number, name, Doc.span(`: ${Doc.cut(error, 120)}`, "warning"))
  const shown = value === undefined ? "" : ` = ${Doc.cut(value, 120)}`
  return Doc.line(
    number,
    name,
    shown,
    Doc.span(changed === true ? "*" : "", "changed"),
    ref === undefined ? "" : `  ${ref}`
  )
}

/** Renders an exception with a type, and others that belong to it. Its text is left out if the description of the stop says the same. */
const thrown = (
  view: View.View,
  exception: Stop.StopException,
  told: { readonly description: string | undefined; readonly location: Stop.StopReport["location"] | undefined }
): ReadonlyArray<Doc.Line> => {
  const { message, passes, thrown_at: at, type } = exception
  if (type === undefined) return []
  const place = at?.file === undefined || isSame(at, told.location) ? [] : [" thrown at ", ...Frames.at(view, at)]
  const passing = passes === true ? " (raised in a called function, passes through this frame)" : ""
  const isTold =
    message !== undefined && told.description === `${type}: ${message}` && place.length === 0 && passing === ""
  const text = `${Doc.cut(type, 80)}${message === undefined ? "" : `: ${Doc.cut(message, 120)}`}`
  return [...(isTold ? [] : [Doc.line(text, ...place, passing)]), ...Exceptions.others(view, exception, 3)]
}

/** Renders what a kind of step adds: a location not reached, a return value, the next instruction. */
const extras = (
  view: View.View,
  {
    commands = [],
    description,
    evaluations = [],
    exception,
    explain,
    instruction,
    location,
    missed_writes: missedWrites = [],
    reached,
    return_value: value
  }: Stop.StopReport
): ReadonlyArray<Doc.Line> => [
  ...missedWrites.map(missed),
  ...(explain === undefined ? [] : [Doc.line(Doc.cut(explain, 320))]),
  ...(exception === undefined ? [] : thrown(view, exception, { description, location })),
  ...evaluations.filter(({ display }) => display === undefined).map(evaluation),
  ...commands.flatMap(({ command, output: text }) => [
    Doc.line(Doc.span(`> ${Doc.cut(command, 80)}`, "dim")),
    ...Doc.paragraph(Doc.cut(text, 400))
  ]),
  ...(reached === false ? [Doc.line(Doc.span("the place was not reached", "warning"))] : []),
  ...(value === undefined
    ? []
    : [Doc.line(`return: ${Doc.cut(value.value, 160)}${value.type === undefined ? "" : ` (${value.type})`}`)]),
  ...(instruction === undefined ? [] : [Doc.line(`=> ${instruction}`)])
]

const heading = (text: string) => Doc.lines(Doc.line(Doc.span(text, "heading")))
const indented = (rows: ReadonlyArray<Doc.Line>) => rows.map((row) => [Doc.line("  ", ...row)])

/** Renders the sections of a full context: locals and stack, one line each. */
const sections = (view: View.View, report: Stop.StopReport): Doc.Doc => {
  const { locals = [], frames = [] } = report
  const hidden = report.hidden_frames ?? 0
  const notes = [
    ...(report.stack_cut === true ? [Frames.mayBeCut] : []),
    ...(hidden === 0 ? [] : [`(+${Frames.leftOut(hidden, report.left_out)} hidden)`])
  ]
  const isShown = frames.length > 1 || notes.length > 0
  const asked = view.input?.["frame"]
  const named = frames.find(({ index, ref }) => ref === asked || String(index) === String(asked))
  const selected = named?.index ?? report.user_frame ?? 0
  return Doc.concat(
    locals.length === 0 ? Doc.empty : heading("locals"),
    Doc.list(indented(Variables.rows(view, locals)), (shown) => View.other(view, "locals", { start: shown })),
    isShown ? heading(["stack", ...notes].join(" ")) : Doc.empty,
    isShown
      ? Doc.list(indented(Frames.rows(view, frames, selected)), (shown) =>
          View.other(view, "backtrace", { start: shown })
        )
      : Doc.empty
  )
}

/** Renders the report of a stop, an end or a running program. `now` is the newest stop, if the report is of a past one. */
export const render = (view: View.View, report: Stop.StopReport, stop: number | undefined, now?: number): Doc.Doc => {
  const ended = report.event !== "stopped" && report.event !== "running" && report.event !== "loaded"
  const refused = report.source_refused
  const source =
    report.source !== undefined
      ? Source.render(report.source, report.location?.line)
      : refused === undefined
        ? []
        : [Doc.line(Doc.span(`  source not shown: ${refused.detail}`, "dim"))]
  const locals = view.detail === "full" ? undefined : Variables.brief(report.locals ?? [])
  return Doc.concat(
    Doc.lines(headline(view, report, stop, now), ...extras(view, report), ...where(view, report), ...source),
    locals === undefined ? Doc.empty : Doc.lines(locals),
    view.detail === "full" ? sections(view, report) : Doc.empty,
    Doc.lines(...(report.evaluations ?? []).filter(({ display }) => display !== undefined).map(evaluation)),
    Doc.lines(...output(report.output, ended), ...movedOn(report)),
    Doc.lines(...EndedRun.lines(report))
  )
}

const otherFrame = /^frames\[(\d+)\]\.locals$/

/** `registers: not read at this stop`, `locals of frames 1, 2: not read at this stop`. */
const notRead = ({ dropped, not_read: parts = [] }: Operations.Data<"context">): ReadonlyArray<Doc.Line> => {
  const frames = parts.flatMap((part) => otherFrame.exec(part)?.[1] ?? [])
  const names = [
    ...parts.filter((part) => !otherFrame.test(part)),
    ...(frames.length === 0 ? [] : [`locals of frame${frames.length === 1 ? "" : "s"} ${frames.join(", ")}`])
  ]
  const gone = dropped === undefined ? [] : [`${dropped} values and frames that were read there are no longer kept`]
  return [...names.map((name) => `${name}: not read at this stop`), ...gone].map((text) =>
    Doc.line(Doc.span(text, "dim"))
  )
}

/** Renders the full context: every section, and the latest output. */
export const context = (view: View.View, data: Operations.Data<"context">, stop: number | undefined): Doc.Doc => {
  const { output: summary, recent_output: recent, registers, set_breakpoints: breakpoints, ...rest } = data
  const { dropped, not_read, now, past, ...report } = rest
  const rows = Output.lines(recent).map(({ line }) => line)
  const fresh = summary === undefined || summary.bytes === 0 ? "" : ` (+${summary.bytes} B)`
  return Doc.concat(
    render({ ...view, detail: "full" }, report, stop, past === true ? now : undefined),
    registers === undefined
      ? Doc.empty
      : Doc.concat(
          heading("registers"),
          Doc.list(indented(registers.map(({ name, value }) => Doc.line(`${name} = ${value}`))), () =>
            View.other(view, "registers")
          )
        ),
    breakpoints === undefined
      ? Doc.empty
      : Doc.concat(
          heading("breakpoints"),
          Doc.list(indented(breakpoints.map((one) => Breakpoints.one(view, one))), () =>
            View.other(view, "breakpoint.list")
          )
        ),
    rows.length === 0 ? Doc.lines(...output(summary, report.event === "exited")) : heading(`output${fresh}`),
    Doc.list(indented(rows), () => View.other(view, "output")),
    Doc.lines(...notRead(data))
  )
}
