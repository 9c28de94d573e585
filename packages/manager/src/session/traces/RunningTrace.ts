/**
 * The trace of a session that runs.
 *
 * A trace point is a breakpoint of the registry. Its first hit is recorded by the manager. If the debugger can record hits
 * itself and shows the same values, it records the following ones; otherwise the manager records each. Records are bounded
 * in number and in characters; the oldest are dropped and counted.
 */
import { MonotonicTime, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection, Failure } from "../../ports/Backend.ts"
import type { Row, Tracer } from "../../ports/Tracer.ts"
import type { TracedPoint } from "../../ports/ProgramRuns.ts"
import { mask, type Secrets } from "../../model/secrets/Secrets.ts"
import { textOf } from "../../model/TracedValue.ts"
import type { ProbedTrace } from "./ProbedTrace.ts"

/** One record of a trace: the values at one pass of a trace point. */
export type Hit = Operations.Data<"hits.list">["rows"][number]

/** A trace point: the number of its breakpoint, the place as it was requested, the expressions. */
export interface Point {
  readonly id: number
  readonly at: string
  readonly expressions: ReadonlyArray<string>
}

/** A trace with its records, oldest first. `dropped` counts those that are no longer kept, `counts` all of each point. */
export interface Trace {
  readonly id: number
  readonly points: ReadonlyArray<Point>
  readonly hits: ReadonlyArray<Hit>
  readonly dropped: number
  readonly counts: ReadonlyMap<number, number>
}

/**
 * Options of a trace. At `max` records it is full, and the next hit stops the program. `newest` is the number of records that are
 * kept (all). `slow` keeps the debugger from recording by itself.
 */
export interface Options {
  readonly points: ReadonlyArray<Point>
  readonly max: number
  readonly newest?: number
  readonly slow: boolean
  /** True for a point whose hits the manager decides about, such as by its condition. The debugger records none of them by itself. */
  readonly isDecided: (id: number) => boolean
  /** True to learn at the first two hits of each point where a debug server finds its values. */
  readonly learns?: boolean
  /** The probes of the kernel that record the points whose places were learned; without them the debugger records. */
  readonly probed?: ProbedTrace
  readonly secrets: Secrets
}

/** What was learned of the points of a trace: where their values are, or why a debug server cannot read them. */
export type Learned = { readonly points: ReadonlyArray<TracedPoint> } | { readonly refused: string }

/** Characters of all values of a trace that are kept. */
const maxCharacters = 4_000_000

/** Records of the debugger that are not fetched yet. The hit after them stops the program, and the recording begins again. */
const maxRecorded = 50_000

/** How often the number of records of the kernel is read. */
const pollMillis = "20 millis"

/** Characters of one value. */
const maxValue = 1000

/** The trace that runs. */
export class RunningTrace {
  readonly #options: Options
  readonly #start: number
  readonly #byPoint: ReadonlyMap<number, Point>
  #hits: Array<Hit> = []
  readonly #counts = new Map<number, number>()
  #characters = 0
  #dropped = 0
  #total = 0
  #later = 0
  /** When the debugger began to record; undefined while the manager records each hit. */
  #recordingSince: number | undefined
  /** The points and threads of the current stop that the debugger has recorded. It names their breakpoints at the stop too. */
  readonly #present = new Set<string>()
  /** False after a point whose values the debugger shows differently. */
  #canRecord: boolean
  #tracer: Tracer | undefined
  #isClosed = false

  constructor(options: Options, now: number) {
    this.#options = options
    this.#start = now
    this.#byPoint = new Map(options.points.map((point) => [point.id, point]))
    this.#canRecord = !options.slow
  }

  /** The number of the trace: that of its first point. */
  get id(): number {
    return this.#options.points[0]?.id ?? 0
  }

  /** True if the limit is reached. */
  get isFull(): boolean {
    return this.#total >= this.#options.max
  }

  /** What recorded the hits beside those at which the program was stopped. */
  get engine(): Operations.TraceEngine {
    if (this.#options.probed?.wasArmed === true) return "uprobe"
    return this.#tracer === undefined ? "adapter" : "script"
  }

  /** True while probes of the kernel are in the program. */
  get isProbed(): boolean {
    return this.#options.probed?.isArmed === true
  }

  /** The number of passes after the limit, before the program was stopped. The kernel drops the newest if it has no room. */
  get later(): number {
    return this.#later + (this.isFull ? (this.#options.probed?.lost ?? 0) : 0)
  }

  /** The number of passes before the limit that the kernel had no room for. */
  get lost(): number {
    return this.isFull ? 0 : (this.#options.probed?.lost ?? 0)
  }

  /** Completes when the kernel has recorded so much that the limit is reached; never without probes. */
  readonly filled: Effect.Effect<void> = Effect.suspend(() => {
    const { max, probed } = this.#options
    if (probed === undefined) return Effect.never
    return probed.count.pipe(
      Effect.delay(pollMillis),
      Effect.repeat({ until: (count) => this.#total + count >= max }),
      Effect.asVoid
    )
  })

  /** Completes what must precede a resume. Returns false if the program must stay stopped. */
  readonly resuming: Effect.Effect<boolean> = Effect.suspend(() => {
    this.#present.clear()
    return this.#options.probed?.resuming ?? Effect.succeed(true)
  })

  /** Ends the recording by the debugger, and makes the next hit stop the program without a record. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.#isClosed = true
    return Effect.ignore(this.drain)
  })

  /** Returns the point with the number of a breakpoint. */
  point(id: number): Point | undefined {
    return this.#byPoint.get(id)
  }

  #add(
    point: number,
    thread: number | undefined,
    time: number,
    values: { readonly [expression: string]: string }
  ): void {
    if (this.isFull) {
      this.#later++
      return
    }
    const hit: Hit = {
      hit: ++this.#total,
      point,
      ...(thread === undefined ? {} : { thread }),
      time: Math.round(time * 1000) / 1000,
      values
    }
    this.#hits.push(hit)
    this.#counts.set(point, (this.#counts.get(point) ?? 0) + 1)
    this.#characters += sizeOf(hit)
    const { newest = Number.POSITIVE_INFINITY } = this.#options
    while ((this.#characters > maxCharacters || this.#hits.length > newest) && this.#hits.length > 1) {
      const oldest = this.#hits.shift()
      if (oldest !== undefined) this.#characters -= sizeOf(oldest)
      this.#dropped++
    }
  }

  /** Adds what the debugger recorded since the last time. */
  readonly drain: Effect.Effect<void, Failure> = Effect.suspend(() => {
    const { probed } = this.#options
    if (probed !== undefined) {
      return Effect.map(probed.disarm, () => probed.take().forEach((row) => this.#addRow(row, 0)))
    }
    const [tracer, since] = [this.#tracer, this.#recordingSince]
    if (tracer === undefined || since === undefined) return Effect.void
    return Effect.map(tracer.end, (rows) => {
      this.#recordingSince = undefined
      for (const row of rows) this.#addRow(row, since)
    })
  })

  #addRow({ id, isPresent, thread, time, values }: Row, since: number): void {
    const point = this.#byPoint.get(id)
    if (point === undefined) return
    if (isPresent === true) this.#present.add(`${id} ${thread}`)
    const { secrets } = this.#options
    const named = Object.fromEntries(
      point.expressions.map((expression, index) => [
        expression,
        secrets.named(expression) ? mask : shortened(secrets.inText(values[index] ?? ""))
      ])
    )
    this.#add(id, thread, since - this.#start + time, named)
  }

  /**
   * Records a hit that stopped the program, unless the debugger has recorded it beside that of another thread, and lets the debugger record
   * the following ones if it can. Returns true if the limit is reached or the trace is closed.
   */
  readonly take = Effect.fnUntraced(function* (
    this: RunningTrace,
    live: Pick<Connection, "tracer">,
    point: Point,
    thread: number | undefined,
    values: ReadonlyArray<{ readonly expression: string; readonly value: string }>
  ) {
    if (this.#isClosed) return true
    yield* Effect.ignore(this.drain)
    const now = yield* MonotonicTime.now
    if (!this.#present.has(`${point.id} ${thread}`)) {
      const shown = values.map(({ expression, value }) => [expression, shortened(value)] as const)
      this.#add(point.id, thread, now - this.#start, Object.fromEntries(shown))
    }
    if (this.isFull) return true
    const { probed } = this.#options
    if (probed?.refused !== undefined) return true
    if (thread !== undefined) probed?.stoppedAt({ id: point.id, thread, values: values.map(({ value }) => value) })
    if (thread !== undefined && (yield* this.#learn(live, point, thread, values))) return false
    if (probed !== undefined) {
      if (this.#refused !== undefined) probed.refuse(this.#refused)
      return probed.refused !== undefined
    }
    if (this.#canRecord && thread !== undefined && !this.#isDecided) {
      this.#canRecord = yield* this.#record(live, point, thread, values).pipe(Effect.orElseSucceed(() => false))
    }
    return false
  })

  /** True if the manager decides which hits of a point count. */
  get #isDecided(): boolean {
    const { isDecided, points } = this.#options
    return points.some(({ id }) => isDecided(id))
  }

  readonly #places = new Map<number, TracedPoint>()
  readonly #learnedPoints = new Set<number>()
  #refused: string | undefined

  /** Returns where the values of all points are; undefined if the trace does not learn it. */
  get learned(): Learned | undefined {
    if (this.#options.learns !== true) return undefined
    if (this.#refused !== undefined) return { refused: this.#refused }
    const missing = this.#options.points.find(({ id }) => !this.#learnedPoints.has(id))
    if (missing !== undefined) return { refused: `the first run passed ${missing.at} less than twice` }
    return { points: [...this.#places.values()] }
  }

  /** Learns where the values of a hit are. Returns true if the next hit of the point is needed for that. */
  readonly #learn = Effect.fnUntraced(function* (
    this: RunningTrace,
    { tracer }: Pick<Connection, "tracer">,
    { at, expressions, id }: Point,
    thread: number,
    values: ReadonlyArray<{ readonly value: string }>
  ) {
    if (this.#options.learns !== true || this.#refused !== undefined || this.#learnedPoints.has(id)) return false
    const place = this.#options.isDecided(id) ? undefined : tracer?.places?.(id, thread, expressions)
    const found = yield* (place ?? Effect.undefined).pipe(Effect.orElseSucceed(() => undefined))
    if (found === undefined || "refused" in found) {
      const expression = found === undefined || found.refused === "" ? at : `{${found.refused}}`
      this.#refused = `${expression} cannot be read without a debugger`
      return false
    }
    const { secrets } = this.#options
    const other = found.fields.findIndex((field, index) => {
      const text = textOf(field, found.bytes[index] ?? new Uint8Array())
      return !secrets.named(expressions[index] ?? "") && secrets.inText(text) !== values[index]?.value
    })
    const before = this.#places.get(id)
    const point: TracedPoint = { id, address: found.address, fields: found.fields }
    if (other >= 0) this.#refused = `{${expressions[other] ?? ""}} is shown differently without a debugger`
    else if (before === undefined) this.#places.set(id, point)
    else if (keyOf(before) === keyOf(point)) {
      this.#learnedPoints.add(id)
      this.#options.probed?.learned(inProcess(point, found.entry))
    } else this.#refused = `the values at ${at} were at two places`
    return this.#refused === undefined && before === undefined
  })

  /** Lets the debugger record the hits of every point that was passed. Returns false if its values differ. */
  readonly #record = Effect.fnUntraced(function* (
    this: RunningTrace,
    live: Pick<Connection, "tracer">,
    point: Point,
    thread: number,
    values: ReadonlyArray<{ readonly value: string }>
  ) {
    const { tracer } = live
    if (tracer === undefined) return false
    const { max, secrets } = this.#options
    const found = yield* tracer.values(thread, point.expressions)
    const isSame = point.expressions.every(
      (expression, index) => secrets.named(expression) || secrets.inText(found?.[index] ?? "") === values[index]?.value
    )
    if (found === undefined || !isSame) return false
    this.#passed.add(point)
    for (const one of this.#passed) {
      const room = Math.max(0, Math.min(maxRecorded, max - this.#total - 1))
      if (!(yield* tracer.begin(one.id, one.expressions, room))) return false
    }
    this.#tracer = tracer
    this.#recordingSince = yield* MonotonicTime.now
    return true
  })

  readonly #passed = new Set<Point>()

  /** Returns the records. */
  result(): Trace {
    const { points } = this.#options
    return { id: this.id, points, hits: this.#hits, dropped: this.#dropped, counts: this.#counts }
  }
}

/** Returns a point with absolute addresses. */
const inProcess = ({ address, fields, id }: TracedPoint, entry: bigint): TracedPoint => ({
  id,
  address: address + entry,
  fields: fields.map((field) => (field.base === "static" ? { ...field, offset: field.offset + entry } : field))
})

const keyOf = ({ address, fields }: TracedPoint): string =>
  [`${address}`, ...fields.map(({ base, kind, offset, size }) => `${base} ${offset} ${size} ${kind}`)].join()

const shortened = (value: string): string => (value.length > maxValue ? `${value.slice(0, maxValue)}…` : value)

const sizeOf = ({ values }: Hit): number => Object.values(values).reduce((sum, value) => sum + value.length, 32)
