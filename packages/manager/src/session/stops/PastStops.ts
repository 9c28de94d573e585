/**
 * The stops of a session, each with its report and with what was read while it was current. They continue over restarts.
 *
 * Nothing is requested from the debugger for them. Memory is bounded: 200 stops, what was read at the last 20, and 8 MiB in all;
 * what was dropped is counted.
 */
import { Caller, type Event, type Location, type Snapshot, type Stop } from "@sigtrap/protocol"
import * as Fiber from "effect/Fiber"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as Permission from "../../model/permissions/Permission.ts"
import { commandOf } from "../callers/Activity.ts"
import { ChangedValues } from "../values/ChangedValues.ts"
import { Budget, sizeOf, StopReadings } from "../values/StopReadings.ts"

/** Bounds of one session. `bytes` is about the memory of reports and readings. */
export interface Limits {
  readonly stops: number
  readonly readings: number
  readonly bytes: number
}

/** 200 stops, what was read at the last 20, 8 MiB. */
const limits: Limits = { stops: 200, readings: 20, bytes: 8 * 1024 * 1024 }

/** The newest stops whose places a call may have read: its own, and those that other clients caused meanwhile. */
const mostLate = 4

/** The client that caused a stop, and its call as a command line. */
export interface Cause {
  readonly actor: Caller.Identity
  readonly command: string
}

/** A variable that differs from its value at an earlier stop in the same frame. */
export interface Changed {
  readonly name: string
  readonly old: string
  readonly new: string
}

const details: { readonly [detail in Stop.Detail]: number } = { none: 0, line: 1, brief: 2, full: 3 }

/** The fields of a report that are found out after it was composed. */
const later = ["reason", "ran", "reached", "returned_from", "return_value", "instruction"] as const

/** Returns who makes the call that runs now, and the call; undefined outside of a call. */
const currentCause = (): Cause | undefined => {
  const fiber = Fiber.getCurrent()
  const running = fiber?.getRef(Permission.Call)
  if (fiber === undefined || running === undefined) return undefined
  return { actor: Caller.identity(fiber.getRef(Caller.Current).actor), command: commandOf(running) }
}

const isSamePlace = (a: Location.Position, b: Location.Position | undefined): boolean =>
  a.address === b?.address && a.line === b?.line && a.file === b?.file && a.function === b?.function

/** One stop. */
export class PastStop {
  readonly stop: number
  /** The process that stopped, if it is known. */
  readonly pid: number | undefined
  /** Milliseconds since 1970. */
  readonly time: number
  /** The number of its first event in the journal. */
  readonly seq: number
  readonly cause: Cause | undefined
  /** Why it stopped, with the breakpoints that all threads hit. */
  stopped: Snapshot.Stopped
  /** Hit counts by breakpoint. */
  hits: ReadonlyMap<number, number> = new Map()
  /** The variables that changed since an earlier stop in the frame of the report. */
  changed: ReadonlyArray<Changed> = []
  /** The function in which it stopped, if no report has it. */
  #place: Location.Position | undefined
  #report: { readonly data: Stop.StopReport; readonly detail: number; readonly bytes: number } | undefined
  #readings: StopReadings | undefined
  #dropped = 0
  #announced: Location.Position | undefined
  readonly #budget: Budget

  constructor(after: Snapshot.Snapshot, stopped: Snapshot.Stopped, at: At, budget: Budget, cause: Cause | undefined) {
    this.stop = after.stop
    this.pid = after.pid
    this.time = at.time
    this.seq = at.seq
    this.cause = cause
    this.stopped = stopped
    this.#budget = budget
    this.#readings = new StopReadings(budget)
  }

  /** The most detailed report of the stop. */
  get report(): Stop.StopReport | undefined {
    return this.#report?.data
  }

  /** True if a report with all parts was composed. */
  get isReadInFull(): boolean {
    return this.#report?.detail === details.full
  }

  /** What was read at the stop; undefined if it is no longer kept. */
  get readings(): StopReadings | undefined {
    return this.#readings
  }

  /** Number of readings that are not kept. */
  get dropped(): number {
    return this.#dropped + (this.#readings?.refused ?? 0)
  }

  /** The frame of the report, else the one that a list of stops names. */
  get place(): Location.Position | undefined {
    return this.#report?.data.location ?? this.#place ?? this.#read()
  }

  /** Returns the place if it became known, or another one, since the last call. */
  newPlace(): Location.Position | undefined {
    const place = this.place
    if (place === undefined || isSamePlace(place, this.#announced)) return undefined
    this.#announced = place
    return place
  }

  /** The number of hits of each breakpoint, in the order of the stop's breakpoints. */
  get hitCounts(): ReadonlyArray<number> {
    return this.stopped.breakpoints.map((id, index) => this.hits.get(id) ?? this.report?.hit_counts?.[index] ?? 0)
  }

  #read(): Location.Position | undefined {
    const thread = this.stopped.thread ?? this.#readings?.threads[0]
    const { frames } = thread === undefined ? { frames: [] } : (this.#readings?.stack(thread) ?? { frames: [] })
    const frame = frames.find(RuntimeFrames.isUserFrame) ?? frames[0]
    if (frame === undefined) return undefined
    const { hidden: _, index: __, locals: ___, ref: ____, repeat: _____, ...position } = frame
    return position
  }

  /** Records a report. A less detailed one does not replace it; the first one has the output since the stop before. */
  recordReport(data: Stop.StopReport, context: Stop.Detail): void {
    const before = this.#report
    const detail = details[context]
    if (before !== undefined && before.detail > detail) return
    const output = before?.data.output ?? data.output
    this.#setReport({ ...before?.data, ...data, ...(output === undefined ? {} : { output }) }, detail)
  }

  /** Adds what a call found out after the report was composed: the line that ran, a return value. */
  amendReport(parts: Stop.StopReport): void {
    const added = later.filter((name) => parts[name] !== undefined).map((name) => [name, parts[name]] as const)
    if (this.#report === undefined || added.length === 0) return
    this.#setReport({ ...this.#report.data, ...Object.fromEntries(added) }, this.#report.detail)
  }

  #setReport(data: Stop.StopReport, detail: number): void {
    const bytes = sizeOf(data)
    if (!this.#budget.take(bytes - (this.#report?.bytes ?? 0))) {
      this.#dropped += 1
      return
    }
    this.#report = { data, detail, bytes }
  }

  /** Drops what was read. The report stays. */
  dropReadings(): void {
    if (this.#readings === undefined) return
    this.#place ??= this.#read()
    this.#dropped += this.#readings.count + this.#readings.refused
    this.#readings.release()
    this.#readings = undefined
  }

  /** Gives all memory back. The stop must not be used after that. */
  release(): void {
    this.dropReadings()
    this.#budget.take(-(this.#report?.bytes ?? 0))
    this.#report = undefined
  }
}

/** Where a stop is in the journal: its time in milliseconds since 1970, and the number of its first event. */
interface At {
  readonly time: number
  readonly seq: number
}

/** The stops of one session. */
export class PastStops {
  readonly #limits: Limits
  readonly #budget: Budget
  /** The newest last. */
  #stops: Array<PastStop> = []
  /** What any client was shown in the frames of reports. */
  #shown = new ChangedValues()
  #resumed: Cause | undefined
  #paused: Cause | undefined

  constructor(bounds: Limits = limits) {
    this.#limits = bounds
    this.#budget = new Budget(bounds.bytes, () => this.#free())
  }

  /** All stops that are kept, the newest last. */
  get all(): ReadonlyArray<PastStop> {
    return this.#stops
  }

  /** About the memory in use, in bytes. */
  get bytes(): number {
    return this.#budget.used
  }

  /** Returns a stop by its number. */
  at(stop: number): PastStop | undefined {
    const [oldest] = this.#stops
    const found = oldest === undefined ? undefined : this.#stops[stop - oldest.stop]
    return found?.stop === stop ? found : this.#stops.find((one) => one.stop === stop)
  }

  /** Returns the newest stops whose places became known since the last call. */
  located(): ReadonlyArray<{ readonly stop: number; readonly location: Location.Position }> {
    return this.#stops.slice(-mostLate).flatMap((past) => {
      const location = past.newPlace()
      return location === undefined ? [] : [{ stop: past.stop, location }]
    })
  }

  /** Records that the running call asks for a pause. */
  pausing(): void {
    this.#paused = currentCause()
  }

  /** Records an event of the session, after it was folded. `hits` are the hit counts of all breakpoints. */
  record(
    event: Event.Event,
    after: Snapshot.Snapshot,
    before: Snapshot.Snapshot,
    at: At,
    hits: () => ReadonlyMap<number, number>
  ): void {
    if (event._tag === "Starting") this.#shown = new ChangedValues()
    if (event._tag === "Resumed" || event._tag === "ResumeRefused") {
      this.#resumed = event._tag === "Resumed" ? currentCause() : undefined
      this.#paused = undefined
    }
    const { stopped } = after
    if (event._tag !== "Stopped" || after.state !== "stopped" || stopped === undefined || after === before) return
    const newest = this.#stops.at(-1)
    const current = newest?.stop === after.stop ? newest : this.#add(after, stopped, at)
    current.stopped = stopped
    if (stopped.breakpoints.length > 0) current.hits = hits()
  }

  #add(after: Snapshot.Snapshot, stopped: Snapshot.Stopped, at: At): PastStop {
    // A pause that a breakpoint overtook has not caused the stop.
    const cause = stopped.reason === "pause" ? (this.#paused ?? this.#resumed) : this.#resumed
    this.#resumed = undefined
    this.#paused = undefined
    const added = new PastStop(after, stopped, at, this.#budget, cause)
    this.#stops.push(added)
    if (this.#stops.length > this.#limits.stops) this.#stops.shift()?.release()
    this.#stops.at(-1 - this.#limits.readings)?.dropReadings()
    return added
  }

  /** Drops the oldest readings, else the oldest stop. The newest stop is not dropped. */
  #free(): boolean {
    const read = this.#stops.slice(0, -1).find(({ readings }) => (readings?.count ?? 0) > 0)
    if (read !== undefined) {
      read.dropReadings()
      return true
    }
    if (this.#stops.length < 2) return false
    this.#stops.shift()?.release()
    return true
  }

  /** Compares the variables in the frame of a stop's report with those of an earlier stop in that frame. */
  compare(stop: number, key: string, ...values: DropFirst<Parameters<ChangedValues["mark"]>>): void {
    const past = this.at(stop)
    const marked = this.#shown.mark(stop, key, ...values)
    if (past === undefined) return
    past.changed = marked.flatMap(({ name, old, value }) => (old === undefined ? [] : [{ name, old, new: value }]))
  }
}

type DropFirst<A extends ReadonlyArray<unknown>> = A extends readonly [unknown, unknown, ...infer Rest] ? Rest : never
