/**
 * `last-write`: finds the write that gave a value, by running the program again with a watchpoint.
 *
 * Run A counts the writes up to the stop, without stopping at them, and must arrive at the same stop with the same bytes. It
 * records the calls in which the system changed the memory, which no watchpoint reports. Run B stops at the write that is looked
 * for. Its value must be the bytes at the stop, else something else wrote them. For a local variable a third run shows that the
 * function call that it belongs to lasts from the write to the stop.
 *
 * LLDB handles some hundred writes a second. After a few seconds a debug server counts them instead (`CountedWrites`).
 */
import { Errors, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { SystemWrites } from "../../ports/Reexecution.ts"
import * as WriteRuns from "../../ports/WriteRuns.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as PastStops from "../PastStops.ts"
import * as CountedWrites from "./CountedWrites.ts"
import * as Evidence from "./Evidence.ts"
import * as ReexecutionCall from "./ReexecutionCall.ts"
import * as Replay from "./Replay.ts"
import * as Rerun from "./Rerun.ts"
import * as WatchedValue from "./WatchedValue.ts"
import * as WriteErrors from "./WriteErrors.ts"
import { changeAfter, isChangedSince, kernelWrite } from "./WriteErrors.ts"

type Payload = Operations.Payload<"last-write">

/** A number of hits that no program reaches: the watchpoint stops at none and counts all. */
const never = 999_999_999

/** What is looked for. */
interface Search extends CountedWrites.Search {
  readonly payload: Payload
}

/** A new run with its watchpoint. `initial` are the bytes at its first instruction, if they can be read there. */
interface Watched {
  readonly rerun: Rerun.Rerun
  readonly watch: number
  readonly initial: Uint8Array | undefined
}

/** A write that was found: the run that stopped there, its number, and the bytes before it. */
interface Write extends Watched {
  readonly hit: number
  readonly old: Uint8Array | undefined
  readonly new: Uint8Array
}

/** A write with the number of all writes, and what counted them. */
interface Found extends Write {
  readonly total: number
  readonly by: Operations.Data<"last-write">["by"]
}

const moment = (hit: number) => `write ${hit}`

/** Sets a watchpoint that stops from a hit on, which is changed later. */
const watchIn = Effect.fnUntraced(function* (rerun: Rerun.Rerun, value: WatchedValue.WatchedValue) {
  const initial = yield* WatchedValue.bytesAt(rerun.connection, value.watch)
  const { expression, watch } = value
  const { id } = yield* rerun.session.breakpoints
    .add({ text: expression, place: { kind: "watch", watch }, hits: String(never), pending: false, temporary: false })
    .pipe(
      Effect.catchTag("BreakpointUnresolved", ({ reason }) =>
        Effect.fail(
          new Errors.WatchUnavailable({ expression, why: watch.size > 8 ? "size" : "address", detail: reason })
        )
      )
    )
  const found: Watched = { rerun, watch: id, initial }
  return found
})

/** Starts a run with a watchpoint. */
const watched = ({ call, value }: Pick<Search, "call" | "value">) =>
  Effect.flatMap(ReexecutionCall.run(call), (rerun) => watchIn(rerun, value))

/** Counts the writes up to the stop. Fails if the run or the bytes differ there. */
const count = Effect.fnUntraced(function* (search: Search) {
  const { call, plan, value } = search
  const { initial, rerun, watch } = yield* watched(search)
  yield* rerun.reexecution.recordSystem(value.watch, watch)
  yield* Replay.reach(rerun, { plan, places: call.places, watch })
  const system = yield* CountedWrites.compareAll(rerun, search)
  const counted: WriteErrors.Counted = { initial, hits: yield* rerun.reexecution.hits(watch), system }
  return counted
})

/** Continues to the next stop of the watchpoint. */
const next = Effect.fnUntraced(function* ({ rerun, watch }: Watched, hit: number) {
  for (;;) {
    const stop = yield* Rerun.resume(rerun, "continue", moment(hit), { watch })
    if (stop.stopped.breakpoints.includes(watch)) return stop
  }
})

const readAt = Effect.fnUntraced(function* ({ rerun }: Watched, value: WatchedValue.WatchedValue) {
  const bytes = yield* WatchedValue.bytesAt(rerun.connection, value.watch)
  return bytes ?? (yield* new Errors.WatchUnavailable({ expression: value.expression, why: "address" }))
})

/** Makes a watchpoint stop from a hit on. */
const stopFrom = ({ rerun, watch }: Watched, hit: number | undefined) =>
  rerun.session.breakpoints.change([watch], { hits: hit === undefined ? null : String(hit) })

/**
 * Stops at a write. The write before it is a stop too, so that the old value is known. `passed` is the number of writes before the
 * watchpoint was set.
 */
const stopAt = Effect.fnUntraced(function* (
  { value }: Search,
  run: Watched,
  hit: number,
  system: SystemWrites,
  passed = 0
) {
  yield* stopFrom(run, Math.max(1, hit - passed - 1))
  let old = run.initial
  if (hit - passed > 1) {
    yield* next(run, hit - 1)
    old = yield* readAt(run, value)
  }
  const change = changeAfter(system, hit - 1)
  if (change !== undefined) old = change.bytes
  yield* next(run, hit)
  const write: Write = { ...run, hit, old, new: yield* readAt(run, value) }
  return write
})

/** The first number of writes before the stop that are searched for a change; then 32 times as many. */
const firstWindow = 32

/** Returns the number of the nth last write that changed the value, of `total` writes; undefined if there is none. */
const lastChange = Effect.fnUntraced(function* (
  search: Search,
  { hits: total, system }: WriteErrors.Counted,
  nth: number
) {
  for (let window = firstWindow; ; window *= 32) {
    const from = Math.max(1, total - window)
    const changes = yield* Effect.scoped(changesFrom(search, from, total, system))
    const found = changes.at(-nth)
    if (found !== undefined || from === 1) return found
  }
})

/** Returns the numbers of the writes after one that changed the value; of all if it is the first. */
const changesFrom = Effect.fnUntraced(function* (search: Search, from: number, total: number, system: SystemWrites) {
  const { value } = search
  const run = yield* watched(search)
  yield* stopFrom(run, from)
  const changes: Array<number> = []
  let before: Uint8Array | undefined
  for (let hit = from; hit <= total; hit++) {
    yield* next(run, hit)
    const bytes = yield* readAt(run, value)
    const change = changeAfter(system, hit - 1)
    const old = change === undefined ? (hit === 1 ? run.initial : before) : change.bytes
    const isKnown = hit === 1 || hit > from || change !== undefined
    if (isKnown && !WatchedValue.equal(old, bytes)) changes.push(hit)
    before = bytes
  }
  if (!WatchedValue.equal(before, value.bytes)) return yield* kernelWrite(value, { ...system, writes: [] })
  return changes
})

const stackOf = ({ rerun }: Watched) =>
  Effect.map(
    rerun.connection.stack(rerun.session.log.snapshot.stopped?.thread ?? 0, 0, WatchedValue.maxFrames),
    ({ frames }) => frames
  )

/** Returns the error for a local variable whose memory was last written before the call that it belongs to. */
const beforeCall = Effect.fnUntraced(function* ({ value }: Search, run: Watched) {
  const frames = yield* stackOf(run)
  const writer = frames.find(RuntimeFrames.isUserFrame) ?? frames[0]
  const place = writer === undefined ? "" : ` in ${Evidence.placeText(writer)}`
  return new Errors.NeverWritten({
    expression: value.expression,
    address: value.watch.address,
    detail: `the last write to its address was${place}, before this call of ${value.call?.function ?? "its function"} began`
  })
})

/** Fails unless the call that a local variable belongs to lasts from a write to the stop. It is another run. */
const checkCall = Effect.fnUntraced(function* (search: Search, hit: number) {
  const { anchor, call, expected, plan, value } = search
  const own = value.call
  if (own === undefined) return
  const run = yield* watched(search)
  const { breakpoints } = run.rerun.session
  yield* stopFrom(run, hit)
  let guard: number | undefined
  let isWritten = false
  yield* Replay.reach(run.rerun, {
    plan,
    places: call.places,
    watch: run.watch,
    onWatch: () =>
      Effect.gen(function* () {
        isWritten = true
        const frames = yield* stackOf(run)
        const index = WatchedValue.frameIn(frames, own)
        const returns = index === undefined ? undefined : frames[index + 1]?.address
        if (returns === undefined) return yield* yield* beforeCall(search, run)
        guard = yield* breakpoints.addInternal({
          text: `the end of ${own.function}`,
          place: { kind: "special", at: { kind: "address", expression: returns } },
          condition: `(unsigned long)$sp > ${value.watch.address}`,
          pending: false,
          temporary: false
        })
        yield* stopFrom(run, never)
      }),
    onInternal: () => Effect.flatMap(beforeCall(search, run), Effect.fail)
  })
  if (!isWritten || guard === undefined) {
    return yield* new Errors.NotReproduced({ at: moment(hit), expected: "a write", got: "none" })
  }
  yield* ReexecutionCall.compare(run.rerun, anchor, expected)
})

/** Finds the write in run B, which started beside run A. */
const findByDebugger = Effect.fnUntraced(function* (search: Search) {
  const { payload, value } = search
  const [counted, first] = yield* Effect.all([Effect.scoped(count(search)), watched(search)], { concurrency: 2 })
  const { hits: total, system } = counted
  yield* WriteErrors.checkTotal(search, counted)
  if (isChangedSince(system, total)) return yield* kernelWrite(value, system)
  let write = yield* stopAt(search, first, total - payload.nth + 1, system)
  if (payload.nth === 1 && !WatchedValue.equal(write.new, value.bytes)) {
    return yield* kernelWrite(value, { ...system, writes: [] })
  }
  const isEnough = payload.same_values || (payload.nth === 1 && !WatchedValue.equal(write.old, write.new))
  const hit = isEnough ? write.hit : yield* lastChange(search, counted, payload.nth)
  if (isChangedSince(system, hit ?? 0)) return yield* kernelWrite(value, system)
  if (hit === undefined) return yield* WriteErrors.unchanged(search, total)
  if (hit !== write.hit) write = yield* stopAt(search, yield* watched(search), hit, system)
  yield* Effect.scoped(checkCall(search, write.hit))
  const found: Found = { ...write, total, by: "re-execution" }
  return found
})

/** Finds the write among those that a debug server counts. Returns undefined if its runs differ from the earlier one. */
const findByServer = Effect.fnUntraced(function* (search: Search, runs: WriteRuns.WriteRuns) {
  const { payload, value } = search
  const { nth, same_values: sameValues } = payload
  const counted = yield* CountedWrites.count(search, runs, { nth, sameValues })
  if (counted === undefined) return undefined
  const { before, ended, hit, initial, last, system, total } = counted
  yield* WriteErrors.checkTotal(search, { hits: total, initial, system })
  if (!WatchedValue.equal(last, value.bytes)) return yield* kernelWrite(value, system)
  // LLDB tells between which writes the system changed the memory.
  if (isChangedSince(system, 0)) return undefined
  if (hit === undefined || before === undefined) return yield* WriteErrors.unchanged(search, total)
  const run = yield* watchIn(before.rerun, value)
  const write = yield* stopAt(search, run, hit, system, before.writes)
  // Values of both runs were the same up to two writes before, so these two differ only if the program does.
  if (!sameValues && WatchedValue.equal(write.old, write.new)) return undefined
  if (nth === 1 && !WatchedValue.equal(write.new, value.bytes)) return yield* kernelWrite(value, system)
  if (value.call !== undefined) {
    const isInCall = WatchedValue.frameIn(yield* stackOf(write), value.call) !== undefined
    if (!isInCall || ended >= hit) return yield* yield* beforeCall(search, write)
  }
  const found: Found = { ...write, total, by: "re-execution (rsp)" }
  return found
})

/** Finds the write: LLDB counts, or a debug server if that takes long and is possible. */
const find = Effect.fnUntraced(function* (search: Search) {
  const scope = yield* Effect.scope
  const first = yield* Scope.fork(scope)
  const counting = yield* findByDebugger(search).pipe(Scope.provide(first), Effect.forkIn(first))
  const quick = yield* Fiber.join(counting).pipe(Effect.timeoutOption(yield* WriteRuns.DebuggerTimeout))
  if (Option.isSome(quick)) return quick.value
  const runs = yield* CountedWrites.open(search)
  if (runs === undefined) return yield* Fiber.join(counting)
  yield* Scope.close(first, Exit.void)
  return (yield* findByServer(search, runs)) ?? (yield* findByDebugger(search))
})

/** Reads what is needed to search: at the present stop, else in a run to the stop that the payload names. */
const prepare = Effect.fnUntraced(function* (call: ReexecutionCall.Call, payload: Payload) {
  const { session } = call
  const { state, stop } = session.log.snapshot
  if (payload.before === undefined && state !== "stopped") return yield* new Errors.NotStopped({})
  const number = payload.before === undefined ? stop : PastStops.numberOf(session, payload.before)
  const anchor = yield* ReexecutionCall.stopOf(call, number)
  const plan = yield* ReexecutionCall.planTo(call, anchor)
  const expected = yield* ReexecutionCall.expectedAt(call, anchor)
  const base = { call, payload, anchor, plan }
  if (state === "stopped" && stop === number) {
    const search: Search = { ...base, expected, value: yield* WatchedValue.find(session, payload) }
    return search
  }
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const rerun = yield* ReexecutionCall.run(call)
      yield* Replay.reach(rerun, { plan, places: call.places })
      yield* ReexecutionCall.compare(rerun, anchor, expected)
      const value = yield* WatchedValue.find(rerun.session, payload)
      const search: Search = { ...base, value, expected: yield* Replay.evidence(rerun) }
      return search
    })
  ).pipe(ReexecutionCall.attempted(payload))
})

/** Finds the write and publishes the run that stopped there. */
const published = Effect.fnUntraced(function* (search: Search) {
  const { anchor, call, payload, value } = search
  const write = yield* find(search)
  const { by, rerun, total, watch } = write
  const { session } = rerun
  yield* stopFrom(write, undefined)
  const old = write.old === undefined ? undefined : yield* WatchedValue.textOf(session, value, write.old, "before")
  session.watches.set({
    id: watch,
    expression: value.expression,
    readExpression: value.readExpression,
    address: value.watch.address,
    value: old
  })
  const text = yield* WatchedValue.textOf(session, value, write.new, "now")
  const { found, ...rest } = yield* ReexecutionCall.publish(call, rerun, anchor, payload)
  return {
    ...rest,
    found: {
      ...found,
      by,
      write: {
        expression: value.expression,
        address: value.watch.address,
        ...(old === undefined ? {} : { old }),
        new: text,
        hit: write.hit,
        of: total
      }
    }
  }
})

/** Finds the last write of a value. The run that stopped there is published as a session. */
export const lastWrite = Effect.fn("LastWrite.lastWrite")(function* (
  payload: Payload,
  services: ReexecutionCall.Services
) {
  const call = yield* ReexecutionCall.begin("last-write", payload, services)
  return yield* Effect.gen(function* () {
    const search = yield* prepare(call, payload)
    return yield* Effect.scoped(published(search)).pipe(ReexecutionCall.attempted(payload))
  }).pipe(
    Effect.mapError((error) =>
      Errors.locate(error, { session: call.session.name, state: call.session.log.snapshot.state })
    )
  )
})
