/**
 * The rows of Activity, computed from the events and the output of a session: a resume and its stop are one row, and so are equal
 * resumes that follow each other, and the reads of one stop.
 */
import { mayWrite } from "./ActsAtStop.ts"
import { breakpointText, switchesOf } from "../breakpoints/BreakpointWords.ts"
import { withoutAddress } from "../words/ShortValues.ts"
import type { Actor, EventLine, PastStop } from "../../connection/Answers.ts"
import type { OutputPiece } from "../output/OutputRows.ts"
import { nameOf, whoIs, type Who } from "../words/ActorWords.ts"
import { askedOf, endOf, fileName, isFailure, placeOf, shortReasonOf } from "../words/StopWords.ts"
import { cutText } from "../words/Words.ts"
import { type Subject, subjectsOf, textOf } from "./ReadSubjects.ts"

/** The kinds of rows. Activity can show some of them only. */
type Kind = "resume" | "stop" | "read" | "change" | "control" | "output" | "end"

/** A row. `code` is text in the fixed-width font before `text`; `tone` is its background. */
export interface Row {
  readonly seq: number
  readonly time: number
  readonly who: Who
  readonly actor: string
  readonly kind: Kind
  readonly code?: string
  /** What a call read or evaluated, one by one, after `text`. */
  readonly subjects?: ReadonlyArray<Subject>
  readonly text: string
  /** True for a row of a change whose text is before the code. */
  readonly codeLast?: boolean
  /** What follows the code of a row whose text is before it. */
  readonly rest?: string
  /** The stop that the row leads to. */
  readonly stop?: number
  readonly refused?: boolean
  /** True for a stop at which the program failed. */
  readonly failed?: boolean
  /** True for a stop that a pause caused: it has a row of its own, also before it is known who paused the program. */
  readonly paused?: boolean
  /** The number of events that are joined in it. */
  readonly count: number
}

/** Calls whose effect other events tell. */
const resumes = ["continue", "next", "step", "finish", "until", "run", "stepi", "nexti", "restart", "pause"]
const breakpoints = [
  "break",
  "logpoint",
  "watch",
  "catch",
  "breakpoint.remove",
  "breakpoint.enable",
  "breakpoint.disable",
  "breakpoint.edit"
]
const starts = ["start", "attach", "connect", "core", "recover"]
const told = [...resumes, ...breakpoints, "control.take", "control.release", ...starts]

const endedWords = "ended the session"

/** Matches a call that pauses the program. */
const pauses = /^(?:pause|explain)(?= |$)/

/** What the operations that start a program do with it. */
const startWords: ReadonlyMap<string, string> = new Map([
  ["start", "started"],
  ["restart", "restarted"],
  ["recover", "recovered"],
  ["attach", "attached to"],
  ["connect", "connected to"]
])

interface Context {
  readonly own: string
  readonly stops: ReadonlyMap<number, PastStop>
  /** The stops at which a client may have changed values. Their values may be later ones than those that the stop found. */
  readonly written: ReadonlySet<number>
  /** Who had control when a call was refused because of that, by the number of its event. */
  readonly holders: ReadonlyMap<number, Actor>
  /** The events that turned a breakpoint on or off, by number. */
  readonly switched: ReadonlySet<number>
}

const holdersOf = (events: ReadonlyArray<EventLine>): ReadonlyMap<number, Actor> => {
  const found = new Map<number, Actor>()
  let holder: Actor | undefined
  for (const { event, seq } of events) {
    if (event._tag === "LeaseChanged") holder = event.lease?.holder
    if (event._tag === "Acted" && event.code === "LEASE_HELD" && holder !== undefined) found.set(seq, holder)
  }
  return found
}

const stopText = (stop: number, { stops, written }: Context, withPlace: boolean): string => {
  const known = stops.get(stop)
  if (known === undefined) return ""
  const changed = written.has(stop) ? undefined : known.changed[0]
  const value = changed === undefined ? "" : withoutAddress(changed.new)
  const why = shortReasonOf(known)
  const isStep = why === "step" || why === "finish" || why === "until"
  const reason = isStep ? placeOf(known.location) : why
  const place = withPlace && !isStep ? placeOf(known.location) : undefined
  const change = changed === undefined ? undefined : `${changed.name} ${cutText(value, 24)}`
  return [reason, place, change]
    .filter((part) => part !== undefined)
    .map((part) => ` · ${part}`)
    .join("")
}

const leaseText = (event: Extract<EventLine["event"], { readonly _tag: "LeaseChanged" }>): string => {
  switch (event.reason) {
    case "taken":
      return "took control"
    case "released":
      return "gave control back"
    case "disconnected":
      return "gave control back by disconnecting"
    case "idle":
      return "lost control because it made no call"
    case "expired":
      return "lost control when its time was over"
    default:
      return "lost control when the session ended"
  }
}

type Acted = Extract<EventLine["event"], { readonly _tag: "Acted" }>

const actedRow = (event: Acted) => {
  const { code, joined = 1, message, ok, operation } = event
  // A reference to a frame, and the stop that a page showed, say nothing to people.
  const command = event.command.replace(/ --(?:frame @f|at-stop )\d+(?= |$)/g, "")
  const subjects = subjectsOf(event, command)
  // The program runs on: nothing failed. The row of the resume says so already.
  if (code === "WAIT_TIMEOUT")
    return told.includes(operation) ? undefined : ({ kind: "change", code: command, text: message ?? "" } as const)
  if (!ok) {
    const refused = code === "LEASE_HELD" || code === "TIER_REQUIRED" || code === "CONSENT_DENIED" || code === "POLICY"
    // The call was meant for a stop that another client had left.
    if (code === "STALE_STOP")
      return { kind: "change", code: command, text: "refused · the program had been resumed", refused: true } as const
    return {
      kind: "change",
      code: command,
      text: refused ? "refused" : message === undefined ? "failed" : `failed: ${message}`,
      refused: true
    } as const
  }
  if (told.includes(operation)) return undefined
  if (operation === "read") {
    const more = joined > 1 ? { rest: `and ${joined - 1} more` } : {}
    return { kind: "read", subjects, text: "read", ...more } as const
  }
  // What is written may be secret.
  if (operation === "input") return { kind: "change", text: "wrote to the input of the program" } as const
  if (operation === "eval") return { kind: "change", subjects, text: "evaluated" } as const
  return { kind: "change", code: command, text: "" } as const
}

/** Returns the row of an event; undefined for an event that another row tells. */
const rowOf = (line: EventLine, context: Context): Row | undefined => {
  const { event, seq, time } = line
  const base = { seq, time, who: whoIs(line.actor, context.own), actor: nameOf(line.actor, context.own), count: 1 }
  switch (event._tag) {
    case "Starting":
      // A session that a new daemon knows from its record begins with an event of no one.
      if (line.actor === undefined && seq > 1) return undefined
      return {
        ...base,
        kind: "change",
        text: event.core === true ? "opened a core file of" : (startWords.get(event.operation ?? "start") ?? "started"),
        code: fileName(event.program),
        codeLast: true
      }
    case "Resumed":
      // The row of the start tells it.
      return event.command === "start" && event.operation !== "run"
        ? undefined
        : { ...base, kind: "resume", code: askedOf(event), text: event.operation === "explain" ? "→ runs again" : "" }
    case "Stopped": {
      const known = context.stops.get(line.stop)
      // Who paused the program is known of the stop.
      if (
        event.reason === "pause" &&
        known?.command !== undefined &&
        pauses.test(known.command) &&
        known.actor !== undefined
      )
        return {
          ...base,
          who: whoIs(known.actor, context.own),
          actor: nameOf(known.actor, context.own),
          kind: "stop",
          code: known.command.replace(/ .*/s, ""),
          text: `→ stop ${line.stop} · ${placeOf(known.location) ?? known.location?.function ?? "no source"}`,
          stop: line.stop
        }
      return {
        ...base,
        kind: "stop",
        text: `stopped ${line.stop}${stopText(line.stop, context, true)}`,
        stop: line.stop,
        ...(isFailure(event) ? { failed: true } : {}),
        ...(event.reason === "pause" ? { paused: true } : {})
      }
    }
    case "Exited":
      return {
        ...base,
        who: "program",
        actor: "program",
        kind: "end",
        text: `ended · ${endOf({ state: "exited", stop: 0, resumes: 0, ...event })}`
      }
    case "Lost":
      return { ...base, kind: "end", text: `is gone: ${event.reason}`, refused: true }
    case "Terminated":
      return { ...base, kind: "end", text: endedWords }
    case "Detached":
      return { ...base, kind: "end", text: "detached" }
    case "Unanswered":
      return {
        ...base,
        kind: "end",
        text: `has not answered ${event.request} for ${Math.round(event.millis / 1000)} s`,
        refused: true
      }
    case "Answered":
      return { ...base, kind: "end", text: "answers again" }
    case "BreakpointChanged":
      return event.operation !== undefined || (line.actor === undefined && event.change !== "moved")
        ? undefined
        : { ...base, kind: "change", ...breakpointText(event, context.switched.has(seq)) }
    case "LeaseChanged": {
      const actor: Actor | undefined = line.actor ?? event.previous
      return {
        ...base,
        who: whoIs(actor, context.own),
        actor: nameOf(actor, context.own),
        kind: "control",
        text: leaseText(event)
      }
    }
    case "Acted": {
      const row = actedRow(event)
      // What a page reads by itself is not activity.
      const read = event.tier === "observe"
      if (row === undefined || (read && (base.who === "you" || line.actor?.kind === "page"))) return undefined
      const holder = context.holders.get(seq)
      if (holder === undefined) return { ...base, ...row }
      const driver = nameOf(holder, context.own)
      return { ...base, ...row, text: `${row.text} · ${driver} ${driver === "you" ? "drive" : "drives"}` }
    }
    case "Forked":
      return { ...base, who: "program", actor: "program", kind: "change", text: `forked process ${event.pid}` }
    default:
      return undefined
  }
}

const outputRow = (piece: OutputPiece): Row | undefined => {
  if (piece.type === "dropped" || (piece.channel !== "stdout" && piece.channel !== "stderr")) return undefined
  const [first = ""] = piece.text.split("\n")
  return {
    seq: piece.seq,
    time: piece.time,
    who: "program",
    actor: "program",
    kind: "output",
    code: first.slice(0, 120),
    text: "wrote",
    count: 1
  }
}

/** Joins a row to the one before it; undefined if they stay apart. */
const join = (last: Row, row: Row, context: Context): Row | undefined => {
  if (
    row.kind === "stop" &&
    row.stop !== undefined &&
    row.code === undefined &&
    row.paused !== true &&
    last.kind === "resume"
  ) {
    // Several events belong to a stop in which several threads stopped.
    if (last.stop === row.stop) return last
    if (last.text !== "" && last.count === 1) return undefined
    const times = last.count > 1 ? `${last.count} times ` : ""
    return {
      ...last,
      seq: row.seq,
      stop: row.stop,
      // A run of the same command says no more than its number of times, unless the program failed at its end.
      text: `${times}→ stop ${row.stop}${last.count > 1 && row.failed !== true ? "" : stopText(row.stop, context, false)}`,
      ...(row.failed === true ? { failed: true } : {})
    }
  }
  if (row.kind === "stop" && last.kind === "stop" && last.stop === row.stop) return last
  // A restart ends the program first.
  if (row.text === "restarted" && last.text === endedWords && last.actor === row.actor) return row
  if (
    row.kind === "resume" &&
    last.kind === "resume" &&
    last.actor === row.actor &&
    last.code === row.code &&
    last.stop !== undefined
  ) {
    return { ...last, seq: row.seq, count: last.count + 1 }
  }
  if (row.kind === "read" && last.kind === "read" && last.actor === row.actor) {
    const known = last.subjects ?? []
    const names = new Set(known.map(textOf))
    const fresh = (row.subjects ?? []).filter((one) => !names.has(textOf(one)))
    if (fresh.length === 0) return last
    return known.length < 4
      ? { ...last, seq: row.seq, subjects: [...known, ...fresh] }
      : { ...last, seq: row.seq, rest: "and more" }
  }
  if (
    row.refused === true &&
    last.refused === true &&
    row.kind === "change" &&
    last.kind === "change" &&
    row.actor === last.actor &&
    row.code === last.code
  ) {
    const count = last.count + 1
    return { ...row, time: last.time, count, text: row.text.replace(/^\w+/, (verdict) => `${verdict} ${count} times`) }
  }
  if (row.kind === "output" && last.kind === "output")
    return { ...last, seq: row.seq, count: last.count + 1, rest: "and more" }
  return undefined
}

/** Returns the rows, oldest first. `own` is the id of this page. */
export const activityRows = (
  events: ReadonlyArray<EventLine>,
  output: ReadonlyArray<OutputPiece>,
  stops: ReadonlyMap<number, PastStop>,
  own: string
): ReadonlyArray<Row> => {
  const written = new Set(events.filter((line) => mayWrite(line, line.stop)).map(({ stop }) => stop))
  const context = { own, stops, written, holders: holdersOf(events), switched: switchesOf(events) }
  const single = [...events.map((line) => rowOf(line, context)), ...output.map(outputRow)]
    .filter((row) => row !== undefined)
    .toSorted((a, b) => a.seq - b.seq)
  const rows: Array<Row> = []
  for (const row of single) {
    // The output of a run is between its resume and its stop.
    const back = row.kind === "stop" && rows.at(-1)?.kind === "output" && rows.at(-2)?.kind === "resume" ? -2 : -1
    const last = rows.at(back)
    const joined = last === undefined ? undefined : join(last, row, context)
    if (joined === undefined) rows.push(row)
    else rows[rows.length + back] = joined
  }
  return rows
}
