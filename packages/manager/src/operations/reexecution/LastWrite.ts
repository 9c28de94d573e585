/**
 * `last-write`: finds the write that gave a value, by running the program again with a watchpoint.
 *
 * Run A counts the writes up to the stop, and must arrive at the same stop with the same bytes. It stops at a write only if a
 * breakpoint follows, which LLDB would pass. It records the calls in which the system changed the memory, which no watchpoint
 * reports. Run B stops at the write that is looked for. Its value must be the bytes at the stop, else something else wrote them. For
 * memory of the stack or of an allocator a third run shows whether it belonged to the same function call or block at the write
 * (`WrittenObject`).
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
import * as PastStops from "../inspection/PastStops.ts"
import * as CountedWrites from "./CountedWrites.ts"
import * as WrittenObject from "./WrittenObject.ts"
import * as ReexecutionCall from "./ReexecutionCall.ts"
import * as Replay from "./Replay.ts"
import * as ReplayPlan from "./ReplayPlan.ts"
import * as WatchProbe from "./WatchProbe.ts"
import * as WatchedRun from "./WatchedRun.ts"
import * as WatchedValue from "./WatchedValue.ts"
import * as WriteErrors from "./WriteErrors.ts"
import { changeAfter, isChangedSince, kernelWrite } from "./WriteErrors.ts"

type Payload = Operations.Payload<"last-write">

/** The write that a call of `last-write` asks for. */
interface Search extends CountedWrites.Search {
  readonly payload: Payload
}

/** A write that was found: the run that stopped there, its number, and the bytes before it. */
interface Write extends WatchedRun.WatchedRun {
  readonly hit: number
  readonly old: Uint8Array | undefined
  readonly new: Uint8Array
}

/** A write with the number of all writes, what the memory was then, and what counted them. */
interface Found extends Write {
  readonly total: number
  readonly object: WrittenObject.Found
  readonly by: Operations.Data<"last-write">["by"]
}

/** Counts the writes up to the stop. Fails if the run or the bytes differ there. */
const count = Effect.fnUntraced(function* (search: Search) {
  const { call, ends, plan, value } = search
  const { initial, rerun, watch } = yield* WatchedRun.start(search)
  yield* rerun.reexecution.recordSystem(value.watch, watch)
  yield* Replay.reach(rerun, { plan, places: call.places, watch, ends })
  const system = yield* CountedWrites.compareAll(rerun, search)
  const counted: WriteErrors.Counted = { initial, hits: yield* rerun.reexecution.hits(watch), system }
  return counted
})

/**
 * Stops at a write. The write before it is a stop too, so that the old value is known. `passed` is the number of writes before the
 * watchpoint was set.
 */
const stopAt = Effect.fnUntraced(function* (
  { value }: Search,
  run: WatchedRun.WatchedRun,
  hit: number,
  system: SystemWrites,
  passed = 0
) {
  yield* WatchedRun.stopFrom(run, Math.max(1, hit - passed - 1))
  let old = run.initial
  if (hit - passed > 1) {
    yield* WatchedRun.next(run, hit - 1)
    old = yield* WatchedRun.readAt(run, value)
  }
  const change = changeAfter(system, hit - 1)
  if (change !== undefined) old = change.bytes
  yield* WatchedRun.next(run, hit)
  const write: Write = { ...run, hit, old, new: yield* WatchedRun.readAt(run, value) }
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
  const run = yield* WatchedRun.start(search)
  yield* WatchedRun.stopFrom(run, from)
  const changes: Array<number> = []
  let before: Uint8Array | undefined
  for (let hit = from; hit <= total; hit++) {
    yield* WatchedRun.next(run, hit)
    const bytes = yield* WatchedRun.readAt(run, value)
    const change = changeAfter(system, hit - 1)
    const old = change === undefined ? (hit === 1 ? run.initial : before) : change.bytes
    const isKnown = hit === 1 || hit > from || change !== undefined
    if (isKnown && !WatchedValue.equal(old, bytes)) changes.push(hit)
    before = bytes
  }
  if (!WatchedValue.equal(before, value.bytes)) return yield* kernelWrite(value, { ...system, writes: [] })
  return changes
})

/**
 * True if a write of the same bytes may have given the value: memory of a function call or of an allocator can have them from an earlier
 * owner.
 */
const mayBeLeft = ({ payload, value: { owner } }: Search) =>
  payload.nth === 1 && !payload.same_values && (owner.kind === "call" || owner.kind === "allocator")

/** Finds the write in run B, which started beside run A. */
const findByDebugger = Effect.fnUntraced(function* (search: Search) {
  const { payload, value } = search
  const [counted, first] = yield* Effect.all([Effect.scoped(count(search)), WatchedRun.start(search)], {
    concurrency: 2
  })
  const { hits: total, system } = counted
  if (total === 0) yield* WatchProbe.check(search)
  yield* WriteErrors.checkTotal(search, counted)
  if (isChangedSince(system, total)) return yield* kernelWrite(value, system)
  const last = yield* stopAt(search, first, total - payload.nth + 1, system)
  if (payload.nth === 1 && !WatchedValue.equal(last.new, value.bytes)) {
    return yield* kernelWrite(value, { ...system, writes: [] })
  }
  const named = (write: Write) =>
    Effect.map(WrittenObject.check(search, write.hit), (object): Found => ({
      ...write,
      total,
      object,
      by: "re-execution"
    }))
  const isEnough = payload.same_values || (payload.nth === 1 && !WatchedValue.equal(last.old, last.new))
  const hit = isEnough ? last.hit : yield* lastChange(search, counted, payload.nth)
  if (isChangedSince(system, hit ?? 0)) return yield* kernelWrite(value, system)
  if (hit === last.hit) return yield* named(last)
  if (hit === undefined && mayBeLeft(search)) return yield* named(last)
  if (hit === undefined) return yield* WriteErrors.unchanged(search, total)
  const changing = yield* stopAt(search, yield* WatchedRun.start(search), hit, system)
  return yield* named(changing).pipe(
    Effect.catchTag("NeverWritten", (error) => (mayBeLeft(search) ? named(last) : Effect.fail(error)))
  )
})

/**
 * Finds the write among those that a debug server counts. Returns undefined if its runs differ from the earlier one, and `left` if only
 * writes of the same bytes belong to what the memory is at the stop.
 */
const findByServer = Effect.fnUntraced(function* (search: Search, runs: WriteRuns.WriteRuns) {
  const { payload, value } = search
  const { nth, same_values: sameValues } = payload
  const counted = yield* CountedWrites.count(search, runs, { nth, sameValues })
  if (counted === undefined) return undefined
  const { before, hit, initial, last, system, total } = counted
  if (total === 0) yield* WatchProbe.check(search)
  yield* WriteErrors.checkTotal(search, { hits: total, initial, system })
  if (!WatchedValue.equal(last, value.bytes)) return yield* kernelWrite(value, system)
  // LLDB tells between which writes the system changed the memory.
  if (isChangedSince(system, 0)) return undefined
  const left = "left" as const
  if (hit === undefined && mayBeLeft(search)) return left
  if (hit === undefined || before === undefined) return yield* WriteErrors.unchanged(search, total)
  const run = yield* WatchedRun.watchIn(before.rerun, value)
  const write = yield* stopAt(search, run, hit, system, before.writes)
  // Values of both runs were the same up to two writes before, so these two differ only if the program does.
  if (!sameValues && WatchedValue.equal(write.old, write.new)) return undefined
  if (nth === 1 && !WatchedValue.equal(write.new, value.bytes)) return yield* kernelWrite(value, system)
  const object = yield* WrittenObject.checkCounted(search, write, counted).pipe(
    Effect.catchTag("NeverWritten", (error) =>
      mayBeLeft(search) && hit < total ? Effect.succeed(left) : Effect.fail(error)
    )
  )
  if (object === undefined || object === left) return object
  const found: Found = { ...write, total, object, by: "re-execution (rsp)" }
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
  const found = yield* findByServer(search, runs)
  if (found !== undefined && found !== "left") return found
  const all: Search = { ...search, payload: { ...search.payload, same_values: true } }
  const same = found === undefined ? undefined : yield* findByServer(all, runs)
  return same === undefined || same === "left" ? yield* findByDebugger(search) : same
})

/** Returns where the steps of a plan end, from a run of its own if there are any. */
const endsOf = (call: ReexecutionCall.Call, plan: ReplayPlan.ReplayPlan) =>
  plan.steps.some(ReplayPlan.isStep)
    ? Effect.scoped(
        Effect.flatMap(ReexecutionCall.run(call), (rerun) => Replay.endsOf(rerun, { plan, places: call.places }))
      )
    : Effect.succeed(new Map<number, Replay.End>())

/** Reads what is needed to search: at the current stop, else in a run to the stop that the payload names. */
const prepare = Effect.fnUntraced(function* (call: ReexecutionCall.Call, payload: Payload) {
  const { session } = call
  const { state, stop } = session.log.snapshot
  if (payload.before === undefined && state !== "stopped") return yield* new Errors.NotStopped({})
  const number = payload.before === undefined ? stop : PastStops.numberOf(session, payload.before)
  const anchor = yield* ReexecutionCall.stopOf(call, number)
  const plan = yield* ReexecutionCall.planTo(call, anchor)
  const expected = yield* ReexecutionCall.expectedAt(call, anchor)
  const base = { call, payload, anchor, plan, ends: yield* endsOf(call, plan).pipe(ReexecutionCall.attempted(payload)) }
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
  const { by, object, rerun, total, watch } = write
  const { session } = rerun
  yield* WatchedRun.release(write)
  const old = write.old === undefined ? undefined : yield* WatchedValue.textOf(session, value, write.old, "before")
  const { expression, readExpression } = value
  // The stop is the one at the write, so the value at it is not that of the next resume.
  // An earlier value that is known as bytes only is not compared with one of another form.
  const before = WatchedValue.isNumber(value) ? old : undefined
  session.watches.set({ id: watch, expression, readExpression, address: value.watch.address }, before, {
    stop: session.log.snapshot.stop - 1,
    writes: 0,
    hits: 0
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
        of: total,
        object
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
