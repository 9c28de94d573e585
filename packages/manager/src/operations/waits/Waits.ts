/**
 * What the threads of a program wait for, who holds it, and which of them wait for each other.
 *
 * Two sources must agree: the functions of the libraries on a thread's stack, and the system call that the kernel reports. An owner is
 * named only if the lock's memory has it twice and the thread lives. What only one source says is shown without an owner.
 */
import type { Explanation, Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CoreThreads from "../../model/cores/CoreThreads.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import { SourceFiles } from "../../model/sources/SourceFiles.ts"
import * as WaitCycles from "../../model/waits/WaitCycles.ts"
import * as WaitFrames from "../../model/waits/WaitFrames.ts"
import * as WaitTexts from "../../model/waits/WaitTexts.ts"
import { FileReader } from "../../ports/FileReader.ts"
import { type KernelThread, Processes } from "../../ports/Processes.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as InitializationOwners from "./InitializationOwners.ts"
import * as LockOwners from "./LockOwners.ts"
import { labelOf, unknownOwner, type Held } from "./LockOwners.ts"
import * as FileWaits from "./FileWaits.ts"
import * as FutexUses from "./FutexUses.ts"
import * as RestartedCalls from "./RestartedCalls.ts"
import * as PolledFiles from "./PolledFiles.ts"
import * as NamedObjects from "./NamedObjects.ts"
import * as ObjectHolders from "./ObjectHolders.ts"
import type { ThreadActivity } from "./ThreadActivity.ts"
import * as VariableParts from "./VariableParts.ts"
import { type CallSource, joined, type Waiting } from "./ThreadWaits.ts"

/** What a session's threads wait for. */
interface Waits {
  readonly threads: number
  readonly waits: ReadonlyArray<Explanation.Wait>
  readonly cycles: ReadonlyArray<ReadonlyArray<Explanation.CycleEdge>>
  readonly summary: string
  readonly facts: ReadonlyArray<Explanation.Fact>
}

/** Frames of each thread that are read. */
const depth = 20

/** Frames in which the user's is searched, if a runtime has the first ones. */
const farDepth = 64

/** Most frames of the user that a group shows. */
const shownFrames = 4

/** Most locks whose memory and symbols are read. */
const mostObjects = 64

/** Most threads that a group names. */
const mostThreads = 20

/** Kinds whose futex is inside of the object. */
const inside: ReadonlySet<Explanation.WaitKind> = new Set(["condition", "semaphore", "barrier", "latch", "once"])

/** Kinds whose owner is not read from the memory of a lock. */
const withoutMemory: ReadonlySet<Explanation.WaitKind> = new Set(["join", "once"])

/** The largest sizes of objects in glibc and libstdc++ for x86-64 and arm64, in bytes. */
const sizes: ReadonlyMap<Explanation.WaitKind, number> = new Map([
  ["mutex", 48],
  ["rwlock", 56],
  ["condition", 48],
  ["semaphore", 32],
  ["barrier", 32],
  ["futex", 4],
  ["latch", 8],
  ["once", 8]
])

const hex = (value: bigint) => `0x${value.toString(16)}`

const userFrames = (frames: ReadonlyArray<Frame.Frame>) => frames.filter(RuntimeFrames.isUserFrame)

/** A variable of libstdc++ with the words on which all waits for atomics wait: it is not what a thread waits for. */
const sharedWords = /^std::__detail::__waiter_pool_base::/

const symbolOf = Effect.fnUntraced(
  function* (session: Session, address: bigint) {
    const { lookup } = (yield* session.connection).inspection
    const found = lookup === undefined ? undefined : yield* lookup.symbol(address)
    return found === undefined
      ? undefined
      : { ...found, name: found.name.replace(/^guard variable for /, "").replace(/::h[0-9a-f]{16}$/, "") }
  },
  Effect.orElseSucceed(() => undefined)
)

/** Finds the variable, or its part, with the object at an address: its name, and the offset of the address in it. */
const variableAt = Effect.fnUntraced(function* (session: Session, view: StopView, first: Waiting, address: bigint) {
  const found = yield* symbolOf(session, address)
  const size = sizes.get(first.kind)
  if (found === undefined || size === undefined) return found
  const place = { name: found.name, start: address - BigInt(found.offset), address, size }
  const frame = { thread: first.thread.id, index: userFrames(first.frames)[0]?.index ?? 0 }
  const part = yield* VariableParts.at(view, frame, place)
  return part === undefined ? found : { name: part.name, offset: Number(address - part.start) }
})

/** Names the object at an address by a variable: `tokens`, `shop.lock`, or `shop+40` if its member is not known. */
const nameAt = Effect.fnUntraced(function* (session: Session, view: StopView, first: Waiting, address: bigint) {
  const found = yield* variableAt(session, view, first, address)
  if (found === undefined) return undefined
  // The word of a condition is not its first one.
  const isWhole = found.offset === 0 || (inside.has(first.kind) && found.offset < (sizes.get(first.kind) ?? Infinity))
  return isWhole ? found.name : `${found.name}+${found.offset}`
})

/** The expression in the waiting line of the user for an object that no variable of the program has. */
const expressionOf = Effect.fnUntraced(function* (
  view: StopView,
  { frames, kind, thread }: Waiting,
  address: bigint | undefined
) {
  const size = sizes.get(kind)
  const index = userFrames(frames)[0]?.index
  if (size === undefined || index === undefined || address === undefined) return undefined
  return yield* NamedObjects.at(view, thread.id, index, { address, size })
})

/** Returns how far an address is inside of the object that a variable, or an expression of the waiting line, names. */
const offsetOf = Effect.fnUntraced(function* (session: Session, view: StopView, waiting: Waiting, address: bigint) {
  const found = yield* variableAt(session, view, waiting, address)
  if (found !== undefined) return found.offset
  const told = yield* expressionOf(view, waiting, address)
  return told === undefined ? undefined : Number(address - told.start)
})

/** A key that is equal for threads that wait for the same in the same place, and that all ran before, or none of them. */
const keyOf = ({ call, descriptors, frames, joined: id, kind, limited, lock, object }: Waiting, ran: boolean): string =>
  [
    kind,
    ran,
    limited,
    lock,
    id,
    object,
    call?.path,
    call?.uses,
    descriptors,
    ...userFrames(frames).map(({ address, file, line }) => address ?? `${file}:${line}`)
  ].join("|")

/** The order in which groups are shown: those in cycles first, then locks, then the rest; larger groups first. */
const rank = (wait: Explanation.Wait, inCycle: ReadonlySet<number>): number => {
  if (wait.threads.some(({ id }) => inCycle.has(id))) return 0
  if (wait.owner !== undefined && wait.kind !== "join") return 1
  if (wait.kind === "mutex" || wait.kind === "rwlock") return 2
  if (wait.kind === "join") return 5
  return wait.kind === "sleep" || wait.kind === "signal" || wait.kind === "poll" ? 4 : 3
}

/** The system calls of a session's threads. `isShared` is true if the program has the same ids of threads as this system. */
interface Calls {
  readonly threads: ReadonlyArray<KernelThread>
  readonly source: CallSource
  readonly arch: string
  readonly isLocal: boolean
  readonly isShared: boolean
}

/** Reads the system calls of a session's threads: from the kernel, or from the core file. */
const callsOf = Effect.fnUntraced(function* (session: Session) {
  const processes = yield* Processes
  const { pid } = session.log.snapshot
  const { existing } = session.launch
  if (existing?.kind === "core") {
    const found = yield* CoreThreads.read(existing.file, yield* FileReader)
    const calls: Calls = { ...found, source: "core", isLocal: false, isShared: false }
    return calls
  }
  const isLocal = pid !== undefined && existing?.kind !== "remote"
  const threads = isLocal && processes.threads !== undefined ? yield* processes.threads(pid) : []
  const isShared = threads.length > 0 && threads.every(({ inner }) => inner === undefined)
  const calls: Calls = { threads, source: "kernel", arch: processes.machine?.arch ?? "", isLocal, isShared }
  return calls
})

/** What an answer says if the kernel tells nothing of the threads. */
const blind: Explanation.Fact = {
  kind: "limit",
  text: "the kernel's data about the threads cannot be read, so owners are unknown",
  by: "kernel"
}

/** Returns what is known of whether waits last: a stop alone does not tell threads that never run again from threads that wake each other. */
const lastingFacts = (
  waits: ReadonlyArray<Explanation.Wait>,
  activity: ThreadActivity | undefined,
  source: CallSource
): ReadonlyArray<Explanation.Fact> => {
  const isProven = waits.some(({ kind, owner }) => kind === "runs" || owner?.state === "dead")
  if (activity === undefined) {
    return isProven ? [] : [{ kind: "limit", text: "one stop does not show whether a wait lasts", by: source }]
  }
  return activity.isIdle && !isProven
    ? [{ kind: "activity", text: `no thread ran in the ${activity.millis} ms before the pause`, by: "kernel" }]
    : []
}

/** Returns what all threads of a stopped program wait for, with what they did before the stop if that is known. */
export const of = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  all: boolean,
  activity?: ThreadActivity
) {
  const threads = yield* view.threads
  yield* view.prefetchStacks(depth)
  const { pid } = session.log.snapshot
  const processes = yield* Processes
  const { arch, isLocal, isShared, source, threads: listed } = yield* callsOf(session)
  const kernel = new Map(listed.map((one) => [one.id, one]))
  const living = new Map(
    threads.map((thread) => {
      const id = thread.os_id ?? thread.id
      return [kernel.get(id)?.inner ?? id, thread]
    })
  )
  const { stopsInCode } = yield* session.connection
  const restarted = RestartedCalls.make(view, arch)
  const uses = FutexUses.make(view, living)
  const polled = PolledFiles.make(view, processes, isLocal ? pid : undefined)
  const waiting = yield* Effect.forEach(
    threads,
    Effect.fnUntraced(function* (thread) {
      const near = WaitFrames.ofThread((yield* view.stack(thread.id, 0, depth)).frames)
      const isFar = near.length === depth && !near.some(RuntimeFrames.isUserFrame)
      const frames = isFar ? WaitFrames.ofThread((yield* view.stack(thread.id, 0, farDepth)).frames) : near
      const known = yield* restarted(frames, kernel.get(thread.os_id ?? thread.id))
      return yield* polled(yield* uses(joined(thread, frames, known, arch, source, stopsInCode)))
    })
  )
  const groups = new Map<string, Array<Waiting>>()
  const hasRun = ({ kind, thread }: Waiting) => kind === "runs" || activity?.ran.has(thread.os_id ?? thread.id) === true
  const switchesOf = ({ thread }: Waiting) => activity?.switches.get(thread.os_id ?? thread.id) ?? 0
  for (const one of waiting) {
    const key = keyOf(one, switchesOf(one) > 0)
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  const sources = yield* SourceFiles
  const read = LockOwners.make({
    view,
    living,
    offset: (one) =>
      one.lock === undefined
        ? Effect.undefined
        : offsetOf(session, view, one, one.lock).pipe(Effect.provideService(SourceFiles, sources)),
    initializer: (one) => InitializationOwners.of(view, waiting, one).pipe(Effect.provideService(SourceFiles, sources)),
    // Of a core file nothing is known of other processes.
    isForeign: (address) =>
      pid === undefined || !isLocal
        ? Effect.succeed(true)
        : (processes.isForeignMemory?.(pid, address) ?? Effect.succeed(false)),
    isGone: (id) => (isShared ? Effect.map(processes.identify(id), Option.isNone) : Effect.succeed(false))
  })
  const held = new Map<string, Held>()
  const symbols = new Map<bigint, string | undefined>()
  const waits: Array<Explanation.Wait> = []
  const edges = new Map<number, { readonly to: Frame.Thread; readonly wait: Explanation.Wait }>()
  for (const members of groups.values()) {
    const [first] = members
    if (first === undefined) continue
    const key = `${first.kind}|${first.lock ?? first.joined ?? ""}`
    if (!held.has(key)) held.set(key, held.size < mostObjects ? yield* read(first) : unknownOwner)
    const { address = first.lock, held: by = "", owner } = held.get(key) ?? unknownOwner
    const isHeld = ObjectHolders.kinds.has(first.kind)
    if (address !== undefined && !isHeld && !symbols.has(address)) {
      const isFew = symbols.size < mostObjects
      symbols.set(address, isFew ? yield* nameAt(session, view, first, address) : undefined)
    }
    const named = address === undefined ? undefined : symbols.get(address)
    const isSharedWord = named !== undefined && sharedWords.test(named)
    const symbol = isSharedWord ? undefined : named
    const isOther = address === undefined || isSharedWord
    const file =
      isOther && pid !== undefined && isLocal
        ? yield* FileWaits.of({ view, processes, pid, isShared }, first)
        : undefined
    const object = isOther ? (file?.object ?? first.object) : hex(address)
    const frames = userFrames(first.frames)
    const told = symbol === undefined && !isSharedWord ? yield* expressionOf(view, first, address) : undefined
    const holder = isHeld && address !== undefined ? yield* ObjectHolders.of(view, first, address) : undefined
    const expression = holder?.expression ?? told?.expression
    const switches = members.reduce((sum, one) => sum + switchesOf(one), 0)
    const wait: Explanation.Wait = {
      threads: members.slice(0, all ? members.length : mostThreads).map(({ thread }) => thread),
      count: members.length,
      kind: first.kind,
      text: WaitTexts.clauseOf({
        kind: first.kind,
        object: isHeld
          ? ObjectHolders.textOf(first, holder)
          : (symbol ?? (expression === undefined ? object : `${expression} (${object})`)),
        held: file?.held ?? by,
        limited: first.limited === true
      }),
      ...(object === undefined ? {} : { object }),
      ...(symbol === undefined ? {} : { symbol }),
      ...(expression === undefined ? {} : { expression }),
      ...(owner === undefined ? {} : { owner }),
      ...(first.limited === true ? { limited: true } : {}),
      ...(switches === 0 ? {} : { switches }),
      ...(file === undefined || file.holders.length === 0 ? {} : { processes: file.holders.map(FileWaits.shown) }),
      stack: (frames.length === 0 ? first.frames : frames).slice(0, all ? depth : shownFrames),
      by: [...first.by, ...(owner === undefined || withoutMemory.has(first.kind) ? [] : (["memory"] as const))]
    }
    waits.push(wait)
    const to = owner?.thread
    if (to !== undefined) for (const { thread } of members) edges.set(thread.id, { to, wait })
  }
  const byId = new Map(threads.map((thread) => [thread.id, thread]))
  const cycles = WaitCycles.of(new Map([...edges].map(([id, { to }]) => [id, to.id]))).map((cycle) =>
    cycle.flatMap((id): ReadonlyArray<Explanation.CycleEdge> => {
      const [edge, thread] = [edges.get(id), byId.get(id)]
      if (edge === undefined || thread === undefined) return []
      const { object, symbol, kind } = edge.wait
      const what =
        kind === "join"
          ? `the end of ${labelOf(edge.to)}`
          : `${WaitTexts.nouns[kind] ?? kind} ${symbol ?? object ?? ""}`.trim()
      return [{ thread, waits_for: what, held_by: edge.to }]
    })
  )
  const inCycle = new Set(cycles.flat().map(({ thread }) => thread.id))
  const sorted = waits.toSorted((a, b) => rank(a, inCycle) - rank(b, inCycle) || b.count - a.count)
  const isBlind = kernel.size === 0 && isLocal
  const facts = [...(isBlind ? [blind] : []), ...(cycles.length > 0 ? [] : lastingFacts(sorted, activity, source))]
  const result: Waits = {
    threads: threads.length,
    waits: sorted,
    cycles,
    summary: WaitTexts.summaryOf(
      threads.length,
      sorted,
      cycles,
      activity === undefined ? undefined : { millis: activity.millis, ran: waiting.filter(hasRun).length }
    ),
    facts
  }
  return result
})
