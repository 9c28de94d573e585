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
import * as CppObjects from "./CppObjects.ts"
import * as InitializationOwners from "./InitializationOwners.ts"
import * as LockOwners from "./LockOwners.ts"
import { labelOf, unknownOwner, type Held } from "./LockOwners.ts"
import * as FileWaits from "./FileWaits.ts"
import * as FutexUses from "./FutexUses.ts"
import * as RestartedCalls from "./RestartedCalls.ts"
import * as PolledFiles from "./PolledFiles.ts"
import * as ReadingTime from "./ReadingTime.ts"
import * as ObjectHolders from "./ObjectHolders.ts"
import type { ThreadActivity } from "./ThreadActivity.ts"
import { expressionOf, nameAt, offsetOf, userFrames } from "./WaitNames.ts"
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

/** Most locks whose memory is read. */
const mostLocks = 1024

/** Most threads that a group names. */
const mostThreads = 20

/** Most groups of threads that an answer has without `all`, which are the only ones whose objects are named. */
export const mostGroups = 12

/** What an answer says if its time was over before all was read. */
const late = (what: string, { millis }: ReadingTime.ReadingTime): Explanation.Fact => ({
  kind: "limit",
  text: `${what} not read: the time of ${millis} ms was over`,
  by: "debugger"
})

/** Kinds whose owner is not read from the memory of a lock. */
const withoutMemory: ReadonlySet<Explanation.WaitKind> = new Set(["join", "once"])

const hex = (value: bigint) => `0x${value.toString(16)}`

/** A variable of libstdc++ with the words on which all waits for atomics wait: it is not what a thread waits for. */
const sharedWords = /^std::__detail::__waiter_pool_base::/

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

/** Threads that wait for the same, and who holds it. */
interface Group {
  readonly members: ReadonlyArray<Waiting>
  readonly first: Waiting
  readonly held: Held
}

/** The order in which groups are shown: those in cycles first, then locks, then the rest; larger groups first. */
const rank = ({ first: { kind }, held: { owner }, members }: Group, inCycle: ReadonlySet<number>): number => {
  if (members.some(({ thread }) => inCycle.has(thread.id))) return 0
  if (owner !== undefined && kind !== "join") return 1
  if (kind === "mutex" || kind === "rwlock") return 2
  if (kind === "join") return 5
  return kind === "sleep" || kind === "signal" || kind === "poll" ? 4 : 3
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

/** What the waits of one stop are described with. */
interface Describing {
  readonly session: Session
  readonly view: StopView
  readonly all: boolean
  readonly time: ReadingTime.ReadingTime
  readonly files: Omit<Parameters<typeof FileWaits.of>[0], "view"> | undefined
  readonly switchesOf: (waiting: Waiting) => number
}

/** Makes the function that describes groups. It names the objects of those that are shown, within the time. */
const describing = ({ all, files, session, switchesOf, time, view }: Describing) => {
  const symbols = new Map<bigint, string | undefined>()
  return Effect.fnUntraced(function* ({ first, held: found, members }: Group, isShown: boolean) {
    const { address = first.lock, held: by = "", owner } = found
    const isHeld = ObjectHolders.kinds.has(first.kind)
    const reads = <A, E, R>(read: Effect.Effect<A | undefined, E, R>) =>
      isShown ? time.within(read) : Effect.succeed(undefined)
    if (address !== undefined && !isHeld && isShown && !symbols.has(address)) {
      symbols.set(address, yield* reads(nameAt(session, view, first, address)))
    }
    const named = address === undefined ? undefined : symbols.get(address)
    const isSharedWord = named !== undefined && sharedWords.test(named)
    const symbol = isSharedWord ? undefined : named
    const told = symbol === undefined && !isSharedWord ? yield* reads(expressionOf(view, first, address)) : undefined
    // libc++ has words of its own for atomics that are not an int.
    const isUnnamedWord = symbol === undefined && told === undefined && WaitFrames.isRepeated(first.frames)
    const isOther = address === undefined || isSharedWord || isUnnamedWord
    const file =
      isOther && files !== undefined ? yield* time.within(FileWaits.of({ view, ...files }, first)) : undefined
    const object = isOther ? (file?.object ?? first.object) : hex(address)
    const frames = userFrames(first.frames)
    const caller = frames[WaitFrames.callsInKernel.has(first.kind) ? 0 : WaitFrames.wrappers(frames)]
    const holder = isHeld && address !== undefined ? yield* reads(ObjectHolders.of(view, first, address)) : undefined
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
      stack: (frames.length === 0 ? WaitFrames.named(first.frames) : frames).slice(0, all ? depth : shownFrames),
      ...(caller === undefined || caller === frames[0] ? {} : { caller }),
      by: [...first.by, ...(owner === undefined || withoutMemory.has(first.kind) ? [] : (["memory"] as const))]
    }
    return wait
  })
}

/** Returns what all threads of a stopped program wait for, with what they did before the stop if that is known. */
export const of = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  all: boolean,
  activity?: ThreadActivity,
  time: ReadingTime.ReadingTime = ReadingTime.unlimited
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
  const objects = CppObjects.make(view)
  const polled = PolledFiles.make(view, processes, isLocal ? pid : undefined)
  const waiting = yield* Effect.forEach(
    threads,
    Effect.fnUntraced(function* (thread) {
      const near = WaitFrames.ofThread((yield* view.stack(thread.id, 0, depth)).frames)
      const isFar = near.length === depth && !near.some(RuntimeFrames.isUserFrame)
      const far = isFar ? yield* time.within(view.stack(thread.id, 0, farDepth)) : undefined
      const frames = far === undefined ? near : WaitFrames.ofThread(far.frames)
      const known = yield* restarted(frames, kernel.get(thread.os_id ?? thread.id))
      const used = yield* uses(joined(thread, frames, known, arch, source, stopsInCode))
      return yield* polled((yield* time.within(objects(used))) ?? used)
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
  const found: Array<Group> = []
  const owners = new Map<number, { readonly to: Frame.Thread; readonly group: Group }>()
  for (const members of groups.values()) {
    const [first] = members
    if (first === undefined) continue
    const key = `${first.kind}|${first.lock ?? first.joined ?? ""}`
    const isRead = held.has(key) || held.size >= mostLocks
    if (!isRead) held.set(key, (yield* time.within(read(first))) ?? unknownOwner)
    const group: Group = { members, first, held: held.get(key) ?? unknownOwner }
    found.push(group)
    const to = group.held.owner?.thread
    if (to !== undefined) for (const { thread } of members) owners.set(thread.id, { to, group })
  }
  const chains = WaitCycles.of(new Map([...owners].map(([id, { to }]) => [id, to.id])))
  const inCycle = new Set(chains.flat())
  const sorted = found.toSorted((a, b) => rank(a, inCycle) - rank(b, inCycle) || b.members.length - a.members.length)
  const areOwnersLate = time.isOver()
  const describe = describing({
    session,
    view,
    all,
    time,
    switchesOf,
    files: pid !== undefined && isLocal ? { processes, pid, isShared } : undefined
  })
  const described = new Map<Group, Explanation.Wait>()
  for (const [index, group] of sorted.entries()) described.set(group, yield* describe(group, all || index < mostGroups))
  const byId = new Map(threads.map((thread) => [thread.id, thread]))
  const cycles = chains.map((chain) =>
    chain.flatMap((id): ReadonlyArray<Explanation.CycleEdge> => {
      const [edge, thread] = [owners.get(id), byId.get(id)]
      const wait = edge === undefined ? undefined : described.get(edge.group)
      if (edge === undefined || wait === undefined || thread === undefined) return []
      const { expression, object, symbol, kind } = wait
      const what =
        kind === "join"
          ? `the end of ${labelOf(edge.to)}`
          : `${WaitTexts.nouns[kind] ?? kind} ${symbol ?? expression ?? object ?? ""}`.trim()
      return [{ thread, waits_for: what, held_by: edge.to }]
    })
  )
  const waits = [...described.values()]
  const isBlind = kernel.size === 0 && isLocal
  const facts = [
    ...(isBlind ? [blind] : []),
    ...(areOwnersLate
      ? [late("who holds what was", time)]
      : time.isOver()
        ? [late("names of some objects were", time)]
        : []),
    ...(cycles.length > 0 ? [] : lastingFacts(waits, activity, source))
  ]
  const result: Waits = {
    threads: threads.length,
    waits,
    cycles,
    summary: WaitTexts.summaryOf(
      threads.length,
      waits,
      cycles,
      activity === undefined ? undefined : { millis: activity.millis, ran: waiting.filter(hasRun).length },
      !areOwnersLate
    ),
    facts
  }
  return result
})
