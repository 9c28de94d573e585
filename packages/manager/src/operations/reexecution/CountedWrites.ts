/**
 * The runs of `last-write` in which a debug server counts the writes, where LLDB would need too long.
 *
 * A run under LLDB without a watchpoint shows first that the program gets to the stop without a call that another run may not
 * repeat. The runs of the debug server have no symbols, so the one that has arrived at the stop is taken over by LLDB and compared
 * with the earlier run as any other; and the one before the write is taken over for the last two writes.
 */
import { type Breakpoint, Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Allocations, SystemWrites } from "../../ports/Reexecution.ts"
import type { Held } from "../../ports/ProgramRuns.ts"
import type * as WriteRuns from "../../ports/WriteRuns.ts"
import type { PastStop } from "../../session/stops/PastStops.ts"
import { launchOf } from "../../session/Reruns.ts"
import type * as Evidence from "./Evidence.ts"
import * as ReexecutionCall from "./ReexecutionCall.ts"
import * as Replay from "./Replay.ts"
import { isOwn, type ReplayPlan } from "./ReplayPlan.ts"
import * as Rerun from "./Rerun.ts"
import * as WatchedValue from "./WatchedValue.ts"

/** What is looked for, and how to get to the stop before which it was written. */
export interface Search {
  readonly call: ReexecutionCall.Call
  readonly anchor: PastStop
  readonly plan: ReplayPlan
  /** Where the steps of the plan end. */
  readonly ends: ReadonlyMap<number, Replay.End>
  readonly expected: Evidence.Evidence
  readonly value: WatchedValue.WatchedValue
}

/** True if LLDB counts each pass of the breakpoint. */
const isCounted = ({ condition, log, thread, thread_name }: Breakpoint.Breakpoint) =>
  condition === undefined && log === undefined && thread === undefined && thread_name === undefined

/** Returns the passes of a breakpoint as a moment; undefined if a place of it is not known. */
const passesOf = ({ locations }: Breakpoint.Breakpoint, count: number): WriteRuns.Moment | undefined => {
  const addresses = locations.flatMap(({ address }) => (address === undefined ? [] : [BigInt(address)]))
  if (addresses.length === 0 || addresses.length < locations.length || count < 1) return undefined
  return { kind: "pass", addresses, count }
}

/** Returns the moments of a plan, if a run reaches them without symbols: signals, and hits of breakpoints after `continue`. */
export const momentsOf = (
  { at, base, steps }: ReplayPlan,
  now: ReadonlyArray<Breakpoint.Breakpoint>
): ReadonlyArray<WriteRuns.Moment> | undefined => {
  const moments: Array<WriteRuns.Moment> = []
  if (base.kind === "signal") moments.push(base)
  if (base.kind === "hit") {
    const passes = passesOf(base.breakpoint.model, base.hits)
    if (passes === undefined) return undefined
    moments.push(passes)
  }
  let hits = at?.hits
  for (const { resumption, to } of steps) {
    if (resumption.command !== "start" && resumption.command !== "continue") return undefined
    const [id] = to.stopped.breakpoints
    const before = resumption.breakpoints.find((one) => one.id === id)
    const model = now.find((one) => one.id === id) ?? before
    const count = id === undefined ? undefined : to.hits.get(id)
    const next = isOwn(to.stopped)
      ? ({ kind: "signal", count: 1 } as const)
      : before === undefined || model === undefined || !isCounted(before) || count === undefined
        ? undefined
        : passesOf(model, count - (hits?.get(before.id) ?? 0))
    if (next === undefined) return undefined
    moments.push(next)
    hits = to.hits
  }
  return moments.length === 0 ? undefined : moments
}

const momentsTo = ({ call: { session }, plan }: Search) =>
  momentsOf(
    plan,
    session.breakpoints.recorded().map(({ model }) => model)
  )

/** Fails if the current stop of a run is not the stop of the earlier one, or if the bytes differ there. */
const compareBytes = Effect.fnUntraced(function* (
  rerun: Rerun.Rerun,
  { anchor, expected, value }: Pick<Search, "anchor" | "expected" | "value">
) {
  yield* ReexecutionCall.compare(rerun, anchor, expected)
  const bytes = yield* WatchedValue.bytesAt(rerun.connection, value.watch)
  if (WatchedValue.equal(bytes, value.bytes)) return
  const at = `${Replay.momentOf(anchor)}, ${value.expression}`
  return yield* new Errors.NotReproduced({ at, expected: "the same bytes", got: "others" })
})

/** Compares a run at the stop as a whole. Returns the changes by the system that it recorded. Fails if it differs. */
export const compareAll = Effect.fnUntraced(function* (rerun: Rerun.Rerun, search: Search) {
  yield* compareBytes(rerun, search)
  const system = yield* rerun.reexecution.systemWrites
  if (system.shared) return yield* new Errors.WatchUnavailable({ expression: search.value.expression, why: "shared" })
  return system
})

/**
 * Runs to the stop under LLDB. Returns the random bytes of the run, the changes by the system, and the allocations of the memory.
 * Fails if it differs, or may differ.
 */
const checked = Effect.fnUntraced(function* (search: Search) {
  const rerun = yield* ReexecutionCall.run(search.call)
  const seed = yield* rerun.reexecution.seed
  const { owner, watch } = search.value
  yield* rerun.reexecution.recordSystem(watch)
  if (owner.kind === "allocator") yield* rerun.reexecution.recordAllocations(watch.address)
  yield* Replay.reach(rerun, { plan: search.plan, places: search.call.places })
  const system = yield* compareAll(rerun, search)
  return { seed, system, allocations: owner.kind === "allocator" ? yield* rerun.reexecution.allocations : undefined }
})

/** Releases a held run with the scope. A debugger that has taken it over has ended or keeps it. */
const owned = (held: Held, isKept: () => boolean) =>
  Effect.addFinalizer(() => (isKept() ? Effect.void : held.release("kill")))

/** What was counted, and the run before the wanted write, which LLDB has taken over. */
interface Counted extends Pick<WriteRuns.FoundWrites, "total" | "initial" | "last" | "ended" | "hit" | "allocated"> {
  readonly before?: { readonly rerun: Rerun.Rerun; readonly writes: number }
  /** The changes by the system up to the stop. Their numbers of hits are 0. */
  readonly system: SystemWrites
  /** The allocations of the memory, if it is that of an allocator. */
  readonly allocations: Allocations | undefined
}

/** Opens the runs for a search; undefined if a debug server cannot make them. They end with the scope. */
export const open = (search: Search) => {
  const { backend, session } = search.call
  const { watch } = search.value
  const call = WatchedValue.callOf(search.value)
  const isFit = watch.size <= 8 && BigInt(watch.address) % BigInt(watch.size) === 0n
  return !isFit || momentsTo(search) === undefined || (call !== undefined && call.callers[0]?.address === undefined)
    ? Effect.undefined
    : (backend.writes?.(launchOf(session.launch)) ?? Effect.undefined).pipe(Effect.orElseSucceed(() => undefined))
}

/** The errors of a run that did not start, or that LLDB could not take over. LLDB counts itself then. */
const notTaken = ["LaunchFailed", "AdapterError"] as const

/**
 * Counts the writes up to the stop. Returns undefined if the runs of the debug server differ from the earlier one, or if LLDB cannot
 * take them over.
 */
export const count = Effect.fnUntraced(function* (
  search: Search,
  runs: WriteRuns.WriteRuns,
  wanted: Pick<WriteRuns.WriteSearch, "nth" | "sameValues">
) {
  const { call, value } = search
  const { repeated, session } = call
  const until = momentsTo(search)
  const { allocations, seed, system } = yield* Effect.scoped(checked(search))
  if (until === undefined || seed === undefined) return undefined
  const end = WatchedValue.callOf(value)?.callers[0]?.address
  const allocation = allocations?.isComplete === true ? allocations.last : undefined
  const progress = { writes: 0 }
  const found = yield* runs
    .search({
      ...wanted,
      address: BigInt(value.watch.address),
      size: value.watch.size,
      until,
      seed: Uint8Array.from(seed.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16)),
      input: session.sentInput.all ?? [],
      ...(end === undefined ? {} : { end: BigInt(end) }),
      ...(allocation === undefined ? {} : { allocation }),
      progress
    })
    .pipe(
      Effect.catchTag(notTaken, () => Effect.undefined),
      Effect.timeoutOrElse({
        duration: yield* Rerun.remainingMillis(repeated),
        orElse: () => Effect.suspend(() => Effect.fail(Rerun.timedOut(repeated, progress.writes)))
      })
    )
  if (found === undefined) return undefined
  const { anchor, before, ...rest } = found
  let isTaken = false
  if (before !== undefined) yield* owned(before.held, () => isTaken)
  const isSame = yield* Effect.scoped(
    Effect.gen(function* () {
      yield* owned(anchor, () => false)
      yield* compareBytes(yield* ReexecutionCall.run(call, anchor), search)
      return true
    })
  ).pipe(Effect.catchTag(["NotReproduced", ...notTaken], () => Effect.succeed(false)))
  if (!isSame) return undefined
  const counted: Counted = { ...rest, system, allocations }
  if (before === undefined) return counted
  const rerun = yield* ReexecutionCall.run(call, before.held).pipe(Effect.catchTag(notTaken, () => Effect.undefined))
  if (rerun === undefined) return undefined
  isTaken = true
  const all: Counted = { ...counted, before: { rerun, writes: before.writes } }
  return all
})
