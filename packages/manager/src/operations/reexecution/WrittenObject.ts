/**
 * What memory was at a write: the same variable, function call or allocated block as at the stop, or an earlier one at the same
 * address, whose write gave the value of nothing that is there at the stop.
 */
import { Errors, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { StackFrame } from "../../ports/Backend.ts"
import type { Allocation, Allocations } from "../../ports/Reexecution.ts"
import type { FoundWrites } from "../../ports/WriteRuns.ts"
import type * as CountedWrites from "./CountedWrites.ts"
import * as WrittenPlace from "../breakpoints/WrittenPlace.ts"
import * as Evidence from "./Evidence.ts"
import * as ReexecutionCall from "./ReexecutionCall.ts"
import * as Replay from "./Replay.ts"
import * as WatchedRun from "./WatchedRun.ts"
import * as WatchedValue from "./WatchedValue.ts"
import * as WriteErrors from "./WriteErrors.ts"

/** What the memory was at the write. */
export type Found = NonNullable<Operations.Data<"last-write">["write"]>["object"]

/** The write that a call of `last-write` asks for. */
export interface Search extends CountedWrites.Search {
  readonly payload: { readonly nth: number }
}

/** Allocation functions that write the bytes of the block that they return. */
const writing: ReadonlySet<string> = new Set([
  "calloc",
  "realloc",
  "reallocarray",
  "__rust_alloc_zeroed",
  "__rust_realloc"
])

/** Returns the place of a write at which a run is stopped, for a sentence. */
const writerAt = Effect.fnUntraced(function* ({ value }: Search, run: WatchedRun.WatchedRun) {
  const frames = yield* WatchedRun.stackOf(run)
  const user = frames.find(RuntimeFrames.isUserFrame) ?? frames[0]
  const isInnermost = user === frames[0]
  const written = isInnermost ? yield* WrittenPlace.of(run.rerun.connection, frames, value.watch.address) : undefined
  const writer = written ?? user
  return writer === undefined ? "" : ` in ${Evidence.placeText(writer)}`
})

/** Returns the error for a write before the function call that the memory belongs to. */
const beforeCall = Effect.fnUntraced(function* (search: Search, run: WatchedRun.WatchedRun) {
  const writer = yield* writerAt(search, run)
  const name = WatchedValue.callOf(search.value)?.function ?? "its function"
  return WriteErrors.before(search, `the last write to its address was${writer}, before this call of ${name} began`)
})

/** Matches an instruction of x86-64 that saves a register or reserves memory, and one that touches a page of the stack. */
const reserving = /^(?:push|or[lq]? +\$0x0, .*%rsp)/

/** Matches the other instructions of x86-64 at the beginning of a function. */
const settingUp = /^(?:endbr64|nop|movq? +%rsp, %rbp|(?:sub|and)q? .*, %rsp|leaq? .*%rsp\)|cmpq? .*%rsp$|jne )/

/** Fails if a function wrote memory of its own with an instruction that stores no variable. */
const checkFrameSetUp = Effect.fnUntraced(function* (
  search: Search,
  run: WatchedRun.WatchedRun,
  { address, file }: StackFrame
) {
  const { expression, owner } = search.value
  // Of a plain address each instruction is a writer, and a caller may push an argument.
  if (address === undefined || owner.kind !== "call" || owner.isArgument === true || /\b0x[\da-f]/i.test(expression))
    return
  const before = yield* WrittenPlace.instructionsBefore(run.rerun.connection, address)
  const instruction = before.at(-1)
  if (instruction === undefined || !reserving.test(instruction)) return
  const isAtBeginning = before.every((one) => reserving.test(one) || settingUp.test(one))
  // A pointer without an owner may lead to the frame of a library, whose saved registers are what is there.
  if (owner.variable === undefined && (!isAtBeginning || file === undefined)) return
  const text = instruction.replaceAll(/\s+/g, " ")
  const writer = yield* writerAt(search, run)
  return yield* WriteErrors.before(
    search,
    `the last write to its address was by '${text}'${writer}, which stores no variable`
  )
})

/** Returns what the memory was at a write in the function call that it belongs to. Fails if the write set up its frame. */
const inCall = Effect.fnUntraced(function* (
  search: Search,
  run: WatchedRun.WatchedRun,
  frame: StackFrame,
  isInnermost: boolean
) {
  const { rerun } = run
  const { owner } = search.value
  if (isInnermost) yield* checkFrameSetUp(search, run, frame)
  const same: Found = "same"
  if (owner.kind !== "call" || owner.variable === undefined) return same
  const { address, name } = owner.variable
  const { connection } = rerun
  const there = yield* WatchedValue.addressIn(connection, name, frame)
  const isInScope =
    there === undefined
      ? yield* connection.locals(frame.handle).pipe(
          Effect.map((all) => all.some((one) => one.name === name)),
          Effect.catchTag("AdapterError", () => Effect.succeed(false))
        )
      : there === address
  const found: Found = isInScope ? "same" : "scope"
  return found
})

/** Takes another run to the stop. `atWrite` is called at the write. Fails if the run differs. */
const repeat = Effect.fnUntraced(function* <E, E2 = never>(
  search: Search,
  hit: number,
  atWrite: (run: WatchedRun.WatchedRun) => Effect.Effect<void, E>,
  onInternal: (run: WatchedRun.WatchedRun) => Effect.Effect<void, E2> = () => Effect.void
) {
  const { anchor, call, ends, expected, plan } = search
  const run = yield* WatchedRun.start(search)
  let isWritten = false
  yield* WatchedRun.stopFrom(run, hit)
  yield* Replay.reach<E | E2 | Effect.Error<ReturnType<typeof WatchedRun.stopFrom>>>(run.rerun, {
    plan,
    places: call.places,
    watch: run.watch,
    ends,
    onWatch: () => {
      isWritten = true
      return Effect.andThen(atWrite(run), WatchedRun.stopFrom(run, WatchedRun.never))
    },
    onInternal: () => onInternal(run)
  })
  if (!isWritten) {
    return yield* new Errors.NotReproduced({ at: WatchedRun.momentOf(hit), expected: "a write", got: "none" })
  }
  yield* ReexecutionCall.compare(run.rerun, anchor, expected)
  return run
})

/** Fails unless the call that a local variable belongs to lasts from a write to the stop. It is another run. */
const checkCall = Effect.fnUntraced(function* (search: Search, own: WatchedValue.FunctionCall, hit: number) {
  let found: Found = "unknown"
  const atWrite = Effect.fnUntraced(function* (run: WatchedRun.WatchedRun) {
    const frames = yield* WatchedRun.stackOf(run)
    const index = WatchedValue.frameIn(frames, own)
    const frame = index === undefined ? undefined : frames[index]
    const returns = index === undefined ? undefined : frames[index + 1]?.address
    if (returns === undefined || frame === undefined) {
      // LLDB may not find the callers of optimized code.
      if (WatchedValue.isWhole(frames)) return yield* yield* beforeCall(search, run)
      return
    }
    found = yield* inCall(search, run, frame, index === 0)
    yield* run.rerun.session.breakpoints.addInternal({
      text: `the end of ${own.function}`,
      place: { kind: "special", at: { kind: "address", expression: returns } },
      condition: `(unsigned long)$sp > ${search.value.watch.address}`,
      pending: false,
      temporary: false
    })
  })
  yield* repeat(search, hit, atWrite, (run) => Effect.flatMap(beforeCall(search, run), Effect.fail))
  return found
})

/** Fails if an allocation of the memory is younger than the write. `writer` is where the write was, for a sentence. */
const olderThan = (search: Search, allocation: Allocation, writer: string) => {
  const { at, function: name, isInside } = allocation
  if (isInside && writing.has(name)) {
    const found: Found = "allocation"
    return Effect.succeed(found)
  }
  const place = at === undefined ? "" : ` in ${at}`
  const detail = isInside
    ? `${name}${place} allocated its memory, and left these bytes there`
    : `${name}${place} allocated its memory, and the bytes are from before: the last write to the address was${writer}`
  return Effect.fail(WriteErrors.before(search, detail))
}

const ofAllocations = ({ isComplete, last }: Allocations, search: Search, writer: string) => {
  // A recorded allocation is younger than the write, also if later ones are missing.
  if (last !== undefined && (isComplete || !last.isInside)) return olderThan(search, last, writer)
  const found: Found = isComplete ? "same" : "unknown"
  return Effect.succeed(found)
}

/** Fails if the memory was allocated between a write and the stop. It is another run. */
const checkAllocation = Effect.fnUntraced(function* (search: Search, hit: number) {
  let writer = ""
  const { rerun } = yield* repeat(search, hit, (run) =>
    Effect.gen(function* () {
      writer = yield* writerAt(search, run)
      yield* run.rerun.reexecution.recordAllocations(search.value.watch.address)
    })
  )
  return yield* ofAllocations(yield* rerun.reexecution.allocations, search, writer)
})

/** Returns what the memory was at a write that LLDB counted. Fails if it belonged to another function call or block then. */
export const check = Effect.fnUntraced(function* (search: Search, hit: number) {
  const { owner } = search.value
  if (owner.kind === "call") return yield* Effect.scoped(checkCall(search, owner.call, hit))
  if (owner.kind === "allocator") return yield* Effect.scoped(checkAllocation(search, hit))
  const found: Found = owner.kind === "program" ? "same" : "unknown"
  return found
})

/** What the runs of a debug server tell of the memory: at the end of its function call and at its allocation. */
interface Counted extends Pick<FoundWrites, "ended" | "allocated"> {
  readonly allocations: Allocations | undefined
}

/**
 * Returns what the memory was at a write that a debug server counted, where the run is stopped. Fails if it belonged to another function
 * call or block then. Returns undefined if the debug server did not see the allocation.
 */
export const checkCounted = Effect.fnUntraced(function* (
  search: Search,
  write: WatchedRun.WatchedRun & { readonly hit: number },
  { allocated, allocations, ended }: Counted
) {
  const { owner } = search.value
  const { hit } = write
  const same: Found = "same"
  const unknown: Found = "unknown"
  if (owner.kind === "program") return same
  const frames = yield* WatchedRun.stackOf(write)
  if (owner.kind === "call") {
    const index = WatchedValue.frameIn(frames, owner.call)
    const frame = index === undefined ? undefined : frames[index]
    if (frame === undefined && !WatchedValue.isWhole(frames)) return unknown
    if (frame === undefined || ended >= hit) return yield* yield* beforeCall(search, write)
    return yield* inCall(search, write, frame, index === 0)
  }
  if (owner.kind === "unknown" || allocations === undefined || !allocations.isComplete) return unknown
  const { last } = allocations
  if (last === undefined) return same
  if (allocated === undefined) return undefined
  if (hit > allocated.at) return same
  const isInside =
    hit > allocated.before && frames.some(({ address }) => address !== undefined && BigInt(address) === last.returns)
  return yield* olderThan(search, { ...last, isInside }, yield* writerAt(search, write))
})
