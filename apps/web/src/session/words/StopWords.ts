/**
 * Stops and states in words.
 */
import { short } from "@sigtrap/protocol/FunctionName"
import type { EventLine, PastStop, Report, Snapshot, Value } from "../../connection/Answers.ts"
import { valueWords } from "./ValueWords.ts"
import { cutText } from "./Words.ts"

/** The states of the chip. */
export type Chip =
  | "Stopped"
  | "Running"
  | "Crashed"
  | "Ended"
  | "Past stop"
  | "Starting"
  | "Not responding"
  | "Not connected"

/** Stops that mean that the program failed. */
const failures = ["signal", "exception", "sanitizer", "panic", "assert"]

/** What is known about a stop: the entry of the list, or the report. */
type Known = Pick<PastStop, "raw_reason" | "description"> & {
  readonly reason?: PastStop["reason"]
  readonly breakpoints?: ReadonlyArray<number>
  readonly hit_counts?: ReadonlyArray<number>
  readonly signal?: string
  readonly exception_type?: string
  readonly exception?: { readonly type?: string }
  readonly watch?: {
    readonly id: number
    readonly expression?: string
    readonly old?: string
    readonly new?: string
  }
  readonly return_value?: Value
}

/** Most characters of a value in the words of a stop. */
const mostOfValue = 40

/** Returns what a watchpoint saw: `total 10 → 30`, or `total = 30` without the old value. */
const changeOf = ({ expression, new: value, old }: NonNullable<Known["watch"]>): string | undefined => {
  if (expression === undefined || value === undefined) return undefined
  return old === undefined || old === value
    ? `${expression} = ${cutText(value, mostOfValue)}`
    : `${expression} ${cutText(old, mostOfValue)} → ${cutText(value, mostOfValue)}`
}

/** Returns the watchpoint that stopped the program, and the breakpoints at its place: `watchpoint 2, breakpoint 1`. */
const watchpointOf = (breakpoints: ReadonlyArray<number>, watch: Known["watch"]): string => {
  const id = watch?.id ?? breakpoints[0]
  const beside = breakpoints.filter((other) => other !== id)
  const name = id === undefined ? "watchpoint" : `watchpoint ${id}`
  return beside.length === 0 ? name : `${name}, breakpoint ${beside.join(", ")}`
}

/** Signals that programs handle or ignore: a stop at one of them says nothing of a failure. */
const harmless =
  /^SIG(?:ALRM|CHLD|CONT|HUP|INT|IO|POLL|PROF|PWR|RT.*|STOP|TERM|TSTP|TTIN|TTOU|URG|USR[12]|VTALRM|WINCH)$/

/** True if the program failed at this stop. */
export const isFailure = (stop: { readonly reason?: string; readonly signal?: string } | undefined): boolean =>
  stop?.reason !== undefined &&
  failures.includes(stop.reason) &&
  !(stop.reason === "signal" && harmless.test(stop.signal ?? ""))

const endings = ["th", "st", "nd", "rd"]

/** Returns a number as `1st`, `2nd`, `11th`. */
export const ordinal = (count: number): string => {
  const tens = count % 100
  return `${count}${(tens > 10 && tens < 14 ? "th" : endings[count % 10]) ?? "th"}`
}

/** Returns why the program stopped: `breakpoint 1`, `step`, `signal SIGSEGV`, `exception ValueError`. */
export const reasonOf = ({ breakpoints = [], raw_reason, reason, signal, ...stop }: Known): string => {
  switch (reason) {
    case "breakpoint":
    case "function-breakpoint":
    case "instruction-breakpoint":
      return breakpoints.length === 0 ? "breakpoint" : `breakpoint ${breakpoints.join(", ")}`
    case "watchpoint":
      return watchpointOf(breakpoints, stop.watch)
    case "signal":
      return `signal ${signal ?? raw_reason}`
    case "exception": {
      const type = stop.exception_type ?? stop.exception?.type
      return type === undefined ? "exception" : `exception ${type}`
    }
    case "other":
      return stop.description ?? raw_reason
    default:
      return reason ?? raw_reason
  }
}

/** Returns that the program stopped and why: `Stopped at breakpoint 1`, `Stopped after a step`. */
export const stoppedWords = (stop: Known): string => {
  switch (stop.reason) {
    case "step":
      return "Stopped after a step"
    case "finish":
    case "until":
    case "goto":
      return `Stopped after “${stop.reason}”`
    case "pause":
      return "Paused"
    case "entry":
      return "Stopped at its entry"
    case "other":
      return `Stopped: ${reasonOf(stop)}`
    default:
      return `Stopped at ${reasonOf(stop)}`
  }
}

/** Returns the reason in as few words as a pill has: a signal and an exception are only their names. */
export const shortReasonOf = (stop: Known): string => {
  const reason = reasonOf(stop)
  return stop.reason === "signal" || stop.reason === "exception" ? reason.replace(/^(?:signal|exception) /, "") : reason
}

/**
 * Returns the reason with the number of hits, with what changed or with what a function returned: `breakpoint 1, 3rd hit`,
 * `watchpoint 2, total 10 → 30`, `finish, returned 30.5`.
 */
export const reasonWithHits = (stop: Known): string => {
  const [hits] = stop.hit_counts ?? []
  const reason = reasonOf(stop)
  const change = stop.watch === undefined ? undefined : changeOf(stop.watch)
  if (change !== undefined) return `${reason}, ${change}`
  if (stop.return_value !== undefined)
    return `${reason}, returned ${cutText(valueWords(stop.return_value), mostOfValue)}`
  return hits === undefined || !reason.startsWith("breakpoint") ? reason : `${reason}, ${ordinal(hits)} hit`
}

/** Reasons that several threads of a stop have together. Others, such as a step, are of one thread while others reached a breakpoint. */
const shared: ReadonlyArray<PastStop["reason"] | undefined> = [
  "breakpoint",
  "function-breakpoint",
  "instruction-breakpoint",
  "watchpoint"
]

/** Returns the reason with the number of threads that stopped together, or with that of hits: `breakpoint 1 in 4 threads`. */
export const reasonInThreads = (stop: Known, threads: number): string =>
  threads > 1 && shared.includes(stop.reason) ? `${reasonOf(stop)} in ${threads} threads` : reasonWithHits(stop)

/** Most characters of a function's name that has all its namespaces. */
const mostOfName = 40

/** Matches the rest of a name that is an operator: `operator<<`, `operator bool`. */
const operator = /^operator(?![\w$])/

/** Splits a name at the `::` that are in no brackets. An operator is the last part. */
const partsOf = (name: string): ReadonlyArray<string> => {
  let depth = 0
  const parts: Array<string> = [""]
  for (let at = 0; at < name.length; at++) {
    const character = name.charAt(at)
    if (depth === 0 && parts.at(-1) === "" && operator.test(name.slice(at))) {
      parts[parts.length - 1] = name.slice(at)
      return parts
    }
    if ("<([{".includes(character)) depth += 1
    if (">)]}".includes(character)) depth -= 1
    const splits = depth === 0 && name.startsWith("::", at)
    if (splits) parts.push("")
    else parts.push(`${parts.pop() ?? ""}${character}`)
    if (splits) at += 1
  }
  return parts
}

/** Returns a part of a name without the arguments of its template: `Map<…>`. An operator stays as it is. */
const withoutArguments = (part: string): string => {
  const from = part.indexOf("<")
  const to = part.lastIndexOf(">")
  return operator.test(part) || from < 1 || to <= from ? part : `${part.slice(0, from)}<…>${part.slice(to + 1)}`
}

/**
 * Returns the name of a function without its parameters, its return type and the `::` of the global namespace: `Cart::total`. A long
 * name loses the arguments of its templates first: `Map<…>::insert`. If it is still too long, it begins with the last of its namespaces
 * or classes that fit: `…::Cart::total`.
 */
export const shortFunction = (name: string, most: number = mostOfName): string => {
  const long = short(name)
  // The type and the trait of a method of Rust are in brackets.
  if (long.length <= most || long.startsWith("<")) return long
  const parts = partsOf(long).map(withoutArguments)
  const whole = parts.join("::")
  if (whole.length <= most) return whole
  const fits = (from: number) => parts.slice(from).join("::").length <= most - 3
  const first = parts.findIndex((_, from) => from > 0 && fits(from))
  const from = first === -1 ? parts.length - 1 : first
  return from === 0 ? whole : `…::${parts.slice(from).join("::")}`
}

/** Returns the last part of a path. */
export const fileName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)

/** Returns a place as `app.c:14`; undefined without a file. */
export const placeOf = (place: { readonly file?: string; readonly line?: number } | undefined): string | undefined =>
  place?.file === undefined ? undefined : `${fileName(place.file)}${place.line === undefined ? "" : `:${place.line}`}`

/** Returns the chip of a session. */
export const chipOf = (
  { state, stopped }: Snapshot,
  view: { readonly connected: boolean; readonly past: boolean; readonly silent: boolean }
): Chip => {
  if (!view.connected) return "Not connected"
  if (view.past) return "Past stop"
  if (view.silent) return "Not responding"
  switch (state) {
    case "stopped":
      return isFailure(stopped) ? "Crashed" : "Stopped"
    case "running":
      return "Running"
    case "starting":
      return "Starting"
    default:
      return "Ended"
  }
}

/** True if there is a program that runs, or can be read. */
export const isAlive = ({ state }: Snapshot): boolean =>
  state === "stopped" || state === "running" || state === "starting"

/** True if there is a program that can be driven: a core file cannot. */
export const canBeDriven = (snapshot: Snapshot): boolean => isAlive(snapshot) && snapshot.core !== true

/** Returns how a session ended: `exit code 3`, `by SIGKILL`. */
export const endOf = ({ exit_code, reason, signal, state }: Snapshot): string => {
  if (signal !== undefined) return `by ${signal}`
  if (exit_code !== undefined) return `exit code ${exit_code}`
  if (state === "detached") return "detached, the program continues"
  if (state === "lost") return reason ?? "the debugger is gone"
  return "the debug session ended"
}

/** Returns the number of seconds as words, when there are any: `12 s`, `3 min`. */
export const secondsOf = (millis: number): string => {
  const seconds = Math.floor(Math.max(0, millis) / 1000)
  return seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.floor(seconds / 60)} min`
      : `${Math.floor(seconds / 3600)} h`
}

/** Returns how long the program ran before a stop: `36 ms`; undefined if the events of the stop are not known. */
export const ranBefore = (events: ReadonlyArray<EventLine>, stop: number): string | undefined => {
  const stopped = events.findLast((line) => line.event._tag === "Stopped" && line.stop === stop)
  const resumed = events.findLast(
    (line) =>
      ["Resumed", "Starting"].includes(line.event._tag) && line.stop === stop - 1 && line.seq < (stopped?.seq ?? 0)
  )
  return stopped === undefined || resumed === undefined ? undefined : durationOf(stopped.time - resumed.time)
}

/** Returns a time as words: `36 ms`, `12 s`. */
export const durationOf = (time: number): string => {
  const millis = Math.max(0, Math.round(time))
  return millis < 1000 ? `${millis} ms` : secondsOf(millis)
}

/** Returns a time of day: `06:28:02`. */
export const timeOf = (millis: number): string => new Date(millis).toTimeString().slice(0, 8)

/** Returns the folded frames of several libraries in a few words: `8 frames of 2 libraries`. */
export const foldedInShort = (report: Pick<Report, "left_out" | "hidden_frames">): string | undefined => {
  const { left_out = [] } = report
  const count = left_out.reduce((sum, one) => sum + one.count, 0)
  return left_out.length < 2 ? foldedWords(report) : `${count} frames of ${left_out.length} libraries`
}

/** What the libraries of folded frames are called in a sentence, if that is not their name. */
const libraries = new Map([
  ["compiler", "the compiler"],
  ["Go library", "the Go library"],
  ["Go runtime", "the Go runtime"],
  ["libc", "the C library"],
  ["libstdc++", "the C++ library"],
  ["other", "the runtime"],
  ["Rust runtime", "the Rust runtime"],
  ["sanitizer", "the sanitizer"],
  ["test runner", "the test runner"]
])

/** Returns what folded frames are called: `3 frames of the C library`. */
export const foldedWords = (report: Pick<Report, "left_out" | "hidden_frames">): string | undefined => {
  const parts = (report.left_out ?? []).map(({ count, what }) => {
    const library = libraries.get(what) ?? what
    return `${count} frame${count === 1 ? "" : "s"} of ${library}`
  })
  return parts.length === 0 ? undefined : parts.join(", ")
}

/** Returns why nothing of the program can be read now; undefined if it is stopped. */
export const unreadableWords = (snapshot: Snapshot): string | undefined => {
  if (snapshot.state === "stopped") return undefined
  if (!isAlive(snapshot)) return "The program has ended. Nothing can be read."
  return snapshot.state === "starting" ? "The program is starting." : "Pause to read values."
}

/** Returns the operation that was asked for: `until`, for which the debugger continues. */
export const askedOf = ({
  command,
  operation = command
}: Pick<Extract<EventLine["event"], { readonly _tag: "Resumed" }>, "command" | "operation">): string => operation

/** What resumed the program, when (milliseconds since 1970), and who. */
interface Resumed {
  readonly command: string
  readonly time: number
  readonly actor: EventLine["actor"]
}

/**
 * Returns what resumed the program after its last stop, or starts it. The state may come before the event that says so: what resumed it
 * before that stop is another command.
 */
export const resumedBy = (events: ReadonlyArray<EventLine>): Resumed | undefined => {
  const last = events.findLast(({ event }) => ["Resumed", "Stopped", "Starting"].includes(event._tag))
  if (last?.event._tag === "Starting" && last.actor !== undefined)
    return { command: last.event.operation ?? "start", time: last.time, actor: last.actor }
  return last?.event._tag === "Resumed"
    ? { command: askedOf(last.event), time: last.time, actor: last.actor }
    : undefined
}

/** Returns the event that ended the newest run. Later ones, such as of its session that is removed, end nothing. */
export const endingOf = (events: ReadonlyArray<EventLine>): EventLine | undefined => {
  const run = events.slice(events.findLastIndex(({ event }) => event._tag === "Starting") + 1)
  return run.find(({ event }) => ["Exited", "Terminated", "Detached", "Lost"].includes(event._tag))
}
