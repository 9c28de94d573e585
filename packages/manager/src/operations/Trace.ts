/**
 * The handlers of `trace` and `hits`: run the program while values are recorded at places, and read the records.
 *
 * The trace points are breakpoints that exist only during the trace. They are removed before the answer, whatever the outcome.
 */
import { Errors, Expression, Field, Hint, MonotonicTime, type Operations, type Snapshot } from "@sigtrap/protocol"
import * as LogpointText from "../breakpoints/LogpointText.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as FileWriter from "../model/FileWriter.ts"
import * as Breakpoints from "./breakpoints/Breakpoints.ts"
import type { Reply } from "./Reply.ts"
import * as StopReport from "./stops/StopReport.ts"
import type { BreakpointInput, Launch } from "../launch/Launch.ts"
import * as Policy from "../model/permissions/Policy.ts"
import type { Request } from "../model/BreakpointPlace.ts"
import type { Session } from "../session/Session.ts"
import type { KernelProbes } from "../ports/KernelProbes.ts"
import { Processes } from "../ports/Processes.ts"
import { ProbedTrace } from "../session/traces/ProbedTrace.ts"
import type { Point, RunningTrace, Trace } from "../session/traces/Traces.ts"

type Payload = Operations.Payload<"trace">

/** Longest time of a trace, in milliseconds. */
const longest = 300_000

/** Most expressions of one trace point. */
const maxExpressions = 20

/** Number of records in the answer of `trace`. */
const shownRecords = 5

/** How long a pause may take at the end of a trace, in milliseconds. */
const pauseTimeout = 10_000

const example: Hint.Hint = Hint.again("trace", { specs: ["FILE:LINE :: {NAME}"] })

const usage = (problem: string, hint: Hint.Hint = example) => new Errors.Usage({ problem, near: [], remedies: [hint] })

/** Options of the place of a trace point. */
type PlaceOptions = Omit<BreakpointInput, "text">

/** Reads one trace point: the breakpoint to set, and its expressions. */
const pointOf = Effect.fnUntraced(function* (
  session: Session,
  program: Launch["Service"],
  text: string,
  place: PlaceOptions
) {
  const { text: at, log: recorded = "" } = LogpointText.split(text) ?? {}
  const expressions = [...new Set(Expression.inMessage(recorded).map((one) => one.trim()))].filter((one) => one !== "")
  if (at === undefined || expressions.length === 0) return yield* usage(`${text} is not LOCATION :: {EXPR}`)
  if (expressions.length > maxExpressions)
    return yield* usage(`a trace point has at most ${maxExpressions} expressions`)
  const request = yield* program.breakpoint({ text: at, ...place })
  if (request.hits !== undefined) return yield* usage("a trace point has no hit count; max limits the records")
  const [present] = session.breakpoints.at(request.place)
  if (present !== undefined) {
    return yield* usage(
      `breakpoint ${present} is at ${request.text}; remove it, or trace another line`,
      Hint.call("breakpoint.remove", { ids: [present] })
    )
  }
  return { request: { ...request, behaviour: { eval: expressions, continue: true } }, expressions }
})

const isOver = ({ state }: Snapshot.Snapshot) => state !== "stopped" && state !== "running"

const uprobe = "trace --engine uprobe"

const withoutProbes = (reason: string) =>
  new Errors.Unsupported({
    what: `this trace: ${reason}`,
    by: uprobe,
    remedies: [Hint.again("trace", { engine: "auto" })]
  })

/** Opens the probes of the session's process; fails with the reason if they cannot be used. */
const probesOf = Effect.fnUntraced(function* (session: Session, payload: Payload, kernel: KernelProbes | undefined) {
  const { tracer } = yield* session.connection
  const { pid } = session.log.snapshot
  const { existing } = session.launch
  if (kernel === undefined) return yield* withoutProbes("the system has no probes of the kernel")
  if (tracer?.places === undefined || tracer.beforeStop === undefined) {
    return yield* withoutProbes("the debugger does not report where values are stored")
  }
  if (pid === undefined || existing?.kind === "remote" || existing?.kind === "core") {
    return yield* withoutProbes("the program is not a process of this machine")
  }
  const values = payload.specs.reduce((most, text) => Math.max(most, Expression.inMessage(text).length), 0)
  const options = { pid, session: session.name, records: payload.max, values }
  const recording = yield* kernel.open(options).pipe(Effect.mapError(({ reason }) => withoutProbes(reason)))
  return { recording, beforeStop: tracer.beforeStop }
})

/** Makes the part of a trace that probes record. Before each stop is reported they are removed from the program. */
const probedTrace = (
  session: Session,
  { beforeStop, recording }: Effect.Success<ReturnType<typeof probesOf>>,
  points: ReadonlyArray<Point>
) => {
  const { breakpoints, secrets } = session
  const expression = (id: number, index: number) => points.find((point) => point.id === id)?.expressions[index] ?? ""
  const probed = new ProbedTrace({
    recording,
    disable: (id) =>
      breakpoints
        .change([id], { enabled: false })
        .pipe(Effect.asVoid, Effect.catchTags({ BreakpointNotFound: () => Effect.void, Policy: () => Effect.void })),
    isShown: (id, index, text, printed) => secrets.named(expression(id, index)) || secrets.inText(text) === printed
  })
  beforeStop(probed.disarm)
  return Effect.as(
    Effect.addFinalizer(() =>
      Effect.andThen(
        probed.disarm,
        Effect.sync(() => beforeStop(undefined))
      )
    ),
    probed
  )
}

/** How a trace ended, with the report of a stop that is not its own. */
const endOf = Effect.fnUntraced(function* (
  session: Session,
  trace: RunningTrace,
  seen: Option.Option<Snapshot.Snapshot> | "filled"
): Effect.fn.Return<
  Pick<Operations.Data<"trace">, "end" | "report">,
  Effect.Error<ReturnType<typeof StopReport.composeAt>>,
  Effect.Services<ReturnType<typeof StopReport.composeAt>>
> {
  if (seen === "filled" || Option.isNone(seen)) {
    // While the debugger resumes at each hit it may miss a pause. Probes stay: without them the program would run far beyond the limit.
    if (!trace.isProbed) yield* trace.close
    yield* Effect.ignore(session.pause(pauseTimeout))
    yield* trace.close
    if (isOver(session.log.snapshot)) return { end: "exit" }
    return { end: seen === "filled" ? "max" : "time" }
  }
  const hit = seen.value.stopped?.breakpoints ?? []
  if (trace.isFull && hit.some((id) => trace.point(id) !== undefined)) return { end: "max" }
  const { data } = yield* StopReport.composeAt(session, { context: "brief", lines: 1 }, seen.value)
  return { end: isOver(seen.value) ? "exit" : "stop", report: data }
})

/** Returns the points of a trace with the numbers of their records. */
export const countsOf = ({ counts, points }: Trace): Operations.Data<"trace">["points"] =>
  points.map(({ at, id }) => ({ id, at, hits: counts.get(id) ?? 0 }))

/** Sets the trace points. Sets none if one cannot be set. */
export const addPoints = Effect.fnUntraced(function* (
  session: Session,
  program: Launch["Service"],
  specs: ReadonlyArray<string>,
  place: PlaceOptions
) {
  const found = yield* Effect.forEach(specs, (text) => pointOf(session, program, text, place))
  const breakpoints = yield* session.breakpoints.addAll(found.map(({ request }): Request => request))
  const points = breakpoints.map(({ id, requested }, index): Point => ({
    id,
    at: requested.text,
    expressions: found[index]?.expressions ?? []
  }))
  if (new Set(points.map(({ id }) => id)).size === points.length) return points
  yield* Effect.ignore(session.breakpoints.remove(points.map(({ id }) => id)))
  return yield* usage("two trace points are at one place; write their expressions in one")
})

/** Runs the program with the trace points set, and returns the answer. */
const run = Effect.fnUntraced(function* (
  session: Session,
  payload: Payload,
  points: ReadonlyArray<Point>,
  probed: ProbedTrace | undefined
) {
  const since = yield* MonotonicTime.now
  const { max } = payload
  const byProbes = probed === undefined ? {} : { probed, learns: true }
  const slow = payload.engine === "adapter" || probed !== undefined
  const isDecided = session.breakpoints.managesCondition
  const trace = session.traces.begin({ points, max, slow, isDecided, secrets: session.secrets, ...byProbes }, since)
  const finish = Effect.gen(function* () {
    yield* probed?.disarm ?? Effect.void
    const kept = session.traces.finish(trace)
    yield* Effect.ignore(session.breakpoints.remove(points.map(({ id }) => id)))
    return kept
  })
  const { end, kept, elapsed } = yield* Effect.gen(function* () {
    const token = yield* session.resume("continue", undefined, {}, payload.at_stop)
    const filled = Effect.as(trace.filled, "filled" as const)
    const seen = yield* Effect.raceFirst(session.outcome(token, Field.millis(payload.for)), filled)
    const elapsed = (yield* MonotonicTime.now) - since
    const end = yield* endOf(session, trace, seen)
    yield* Effect.ignore(trace.drain)
    return { end, elapsed, kept: yield* finish }
  }).pipe(Effect.onError(() => finish))
  if (probed?.refused !== undefined) return yield* withoutProbes(probed.refused)
  const data: Operations.Data<"trace"> = {
    id: kept.id,
    hits: kept.hits.length + kept.dropped,
    dropped: kept.dropped,
    ...(trace.later === 0 ? {} : { later: trace.later }),
    ...(trace.lost === 0 ? {} : { lost: trace.lost }),
    elapsed_ms: Math.round(elapsed),
    by: trace.engine,
    ...end,
    points: countsOf(kept),
    last: kept.hits.slice(-shownRecords)
  }
  const reply: Reply<Operations.Data<"trace">> = { data }
  return reply
})

/** Handles `trace`. */
export const trace = Effect.fnUntraced(function* (session: Session, payload: Payload, program: Launch["Service"]) {
  yield* session.view
  const millis = Field.millis(payload.for)
  if (!(millis > 0 && millis <= longest))
    return yield* usage("for is a time from 1ms to 300s", Hint.again("trace", { for: "30s" }))
  const live = yield* session.connection
  if (payload.engine === "script" && live.tracer === undefined) {
    return yield* new Errors.Unsupported({
      what: "recording by a script",
      by: live.adapter.name,
      remedies: [Hint.again("trace", { engine: "adapter" })]
    })
  }
  if (payload.engine === "rsp") {
    return yield* new Errors.Unsupported({
      what: "recording by rsp in a program that a debugger holds; it records repeated runs (run --until-failure --trace)",
      by: live.adapter.name,
      remedies: [Hint.again("trace", { engine: "auto" })]
    })
  }
  const place = {
    pending: false,
    ...(payload.directory === undefined ? {} : { directory: payload.directory }),
    ...(yield* Breakpoints.currentLocation(session))
  }
  const { probes } = yield* Processes
  return yield* Effect.gen(function* () {
    const kernel = payload.engine === "uprobe" ? yield* probesOf(session, payload, probes) : undefined
    return yield* Effect.acquireUseRelease(
      addPoints(session, program, payload.specs, place),
      Effect.fnUntraced(function* (points) {
        const probed = kernel === undefined ? undefined : yield* probedTrace(session, kernel, points)
        return yield* run(session, payload, points, probed)
      }),
      (points) => Effect.ignore(session.breakpoints.remove(points.map(({ id }) => id)))
    )
  }).pipe(Effect.scoped)
})

/** Returns a trace that is kept. */
const find = (session: Session, id: number | undefined): Effect.Effect<Trace, Errors.Usage> => {
  const found = session.traces.find(id)
  if (found !== undefined) return Effect.succeed(found)
  const { ids } = session.traces
  const problem = ids.length === 0 ? "nothing was traced" : `there is no trace ${id}; there are: ${ids.join(", ")}`
  return Effect.fail(usage(problem, ids.length === 0 ? Hint.help("trace") : Hint.call("hits.list", {})))
}

const hitOf = ({ dropped, hits, id }: Trace, number: number) => {
  const found = hits.find(({ hit }) => hit === number)
  return found === undefined
    ? Effect.fail(
        usage(`trace ${id} has the records ${dropped + 1} to ${dropped + hits.length}`, Hint.call("hits.list", { id }))
      )
    : Effect.succeed(found)
}

/** Handles `hits.list`. */
export const list = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"hits.list">) {
  const trace = yield* find(session, payload.id)
  const { fields } = payload
  const known = new Set(trace.points.flatMap(({ expressions }) => expressions))
  const unknown = fields.find((field) => !known.has(field))
  if (unknown !== undefined) {
    return yield* usage(
      `trace ${trace.id} has no ${unknown}; it has: ${[...known].join(", ")}`,
      Hint.call("hits.list", { id: trace.id })
    )
  }
  const rows = trace.hits
    .slice(-payload.last)
    .map((hit) =>
      fields.length === 0
        ? hit
        : { ...hit, values: Object.fromEntries(Object.entries(hit.values).filter(([name]) => fields.includes(name))) }
    )
  return { data: { id: trace.id, total: trace.hits.length + trace.dropped, dropped: trace.dropped, rows } }
})

/** Handles `hits.diff`. */
export const diff = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"hits.diff">) {
  const trace = yield* find(session, payload.id)
  const [first, second] = [yield* hitOf(trace, payload.first), yield* hitOf(trace, payload.second)]
  const names = [...new Set([...Object.keys(first.values), ...Object.keys(second.values)])]
  const changes = names.flatMap((expression) => {
    const [before, after] = [first.values[expression], second.values[expression]]
    if (before === after) return []
    return [
      { expression, ...(before === undefined ? {} : { old: before }), ...(after === undefined ? {} : { new: after }) }
    ]
  })
  return { data: { id: trace.id, first: payload.first, second: payload.second, changes } }
})

const numeric = /^-?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|0x[0-9a-f]+)$/i

/** Handles `hits.trend`. */
export const trend = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"hits.trend">) {
  const trace = yield* find(session, payload.id)
  const values = trace.hits.flatMap(({ values }) => {
    const value = values[payload.field]
    return value === undefined ? [] : [value]
  })
  const [first] = values
  const last = values.at(-1)
  if (first === undefined || last === undefined) {
    const known = [...new Set(trace.points.flatMap(({ expressions }) => expressions))]
    if (!known.includes(payload.field)) {
      return yield* usage(
        `trace ${trace.id} has no ${payload.field}; it has: ${known.join(", ")}`,
        Hint.call("hits.list", { id: trace.id })
      )
    }
  }
  const numbers = values.every((value) => numeric.test(value)) ? values.map(Number) : []
  const bounds = numbers.reduce<readonly [number, number] | undefined>(
    (found, one) => (found === undefined ? [one, one] : [Math.min(found[0], one), Math.max(found[1], one)]),
    undefined
  )
  const data: Operations.Data<"hits.trend"> = {
    id: trace.id,
    field: payload.field,
    records: values.length,
    changes: values.filter((value, index) => index > 0 && value !== values[index - 1]).length,
    ...(first === undefined || last === undefined ? {} : { first, last }),
    ...(bounds === undefined ? {} : { min: bounds[0], max: bounds[1] })
  }
  return { data }
})

/** Handles `hits.export`. */
export const save = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"hits.export">,
  machine: Policy.Machine
) {
  const { path } = machine
  const trace = yield* find(session, payload.id)
  const file = path.resolve(payload.directory ?? ".", payload.file)
  yield* Policy.checkFiles(session.policy, [file], machine)
  const text = trace.hits.map((hit) => `${JSON.stringify(hit)}\n`).join("")
  const retry = Hint.again("hits.export", { force: true }, "to replace it")
  yield* FileWriter.write(file, session.secrets.inText(text), { force: payload.force, retry }, machine)
  return { data: { id: trace.id, file, records: trace.hits.length } }
})
