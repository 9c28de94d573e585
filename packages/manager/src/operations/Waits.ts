/**
 * What the threads of a program wait for, who holds it, and which of them wait for each other.
 *
 * Two sources must agree: the functions of the libraries on a thread's stack, and the system call that the kernel reports. An owner is
 * named only if the lock's memory has it twice and the thread lives. What only one source says is shown without an owner.
 */
import type { Explanation, Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as LockWords from "../model/LockWords.ts"
import * as RuntimeFrames from "../model/RuntimeFrames.ts"
import * as SystemCalls from "../model/SystemCalls.ts"
import * as WaitCycles from "../model/WaitCycles.ts"
import * as WaitFrames from "../model/WaitFrames.ts"
import type { KernelThread, Processes } from "../ports/Processes.ts"
import type { Session } from "../session/Session.ts"
import type { StopView } from "../session/StopView.ts"

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

/** Most frames of the user that a group shows. */
const shownFrames = 4

/** Most locks whose memory and symbols are read. */
const mostObjects = 64

/** Most threads that a group names. */
const mostThreads = 20

/** Kinds whose futex is inside of the object. */
const inside: ReadonlySet<Explanation.WaitKind> = new Set(["condition", "semaphore", "barrier"])

const hex = (value: bigint) => `0x${value.toString(16)}`

/** One thread: its frames, and what is known of its wait. */
interface Waiting {
  readonly thread: Frame.Thread
  readonly frames: ReadonlyArray<Frame.Frame>
  readonly kind: Explanation.WaitKind
  readonly by: ReadonlyArray<Explanation.By>
  /** Address of a lock, or a text for another object. */
  readonly lock?: bigint
  readonly object?: string
  readonly futex?: SystemCalls.Futex
  /** The thread that is joined, by the system's id. */
  readonly joined?: number
}

const userFrames = (frames: ReadonlyArray<Frame.Frame>) => frames.filter(RuntimeFrames.isUserFrame)

/** Joins what both sources say of a thread. */
const joined = (
  thread: Frame.Thread,
  frames: ReadonlyArray<Frame.Frame>,
  kernel: KernelThread | undefined,
  arch: string
): Waiting => {
  const library = WaitFrames.waitOf(frames)
  const of = { thread, frames }
  if (kernel === undefined || !kernel.isKnown) {
    return library === undefined ? { ...of, kind: "unknown", by: [] } : { ...of, kind: library.kind, by: ["stack"] }
  }
  const call = SystemCalls.waitOf(kernel, arch)
  if (call === undefined) return { ...of, kind: "runs", by: ["kernel"] }
  if (call.kind !== "futex") {
    // A lock on the stack whose thread is in another call has called back into the program's code or is about to wait.
    if (library !== undefined && library.kind !== "sleep") return { ...of, kind: "unknown", by: ["kernel", "stack"] }
    const object =
      call.fd === undefined ? (call.pid === undefined ? undefined : `process ${call.pid}`) : `fd ${call.fd}`
    return { ...of, kind: call.kind, by: ["kernel"], ...(object === undefined ? {} : { object }) }
  }
  const { futex } = call
  if (futex === undefined || library === undefined || library.kind === "sleep") {
    return { ...of, kind: "futex", by: ["kernel"], ...(futex === undefined ? {} : { futex, lock: futex.address }) }
  }
  const shared = { ...of, kind: library.kind, by: ["kernel", "stack"] as const, futex }
  if (library.kind === "join") return { ...shared, joined: futex.expected }
  return { ...shared, lock: futex.address }
}

/** The owner of a lock, and how it is called. */
interface Held {
  readonly owner?: Explanation.Owner
  readonly held: string
  /** The lock's address, if it is another one than the futex. */
  readonly address?: bigint
}

const unheld: Held = { held: "" }

/** A reader of the owners of locks, with the living threads of the program. */
const owners = (session: Session, view: StopView, living: ReadonlyMap<number, Frame.Thread>) => {
  const memory = (address: bigint, size: number) =>
    Effect.map(view.connection.inspection.memory(address, size), ({ bytes, unreadable }) =>
      unreadable.length > 0 ? undefined : { address, bytes }
    ).pipe(Effect.orElseSucceed(() => undefined))

  /** Reads a value twice. It counts only if both are equal. */
  const twice = <A>(address: bigint, size: number, read: (words: LockWords.Words) => A | undefined) =>
    Effect.gen(function* () {
      const first = yield* memory(address, size)
      const value = first === undefined ? undefined : read(first)
      const second = value === undefined ? undefined : yield* memory(address, size)
      const again = second === undefined ? undefined : read(second)
      return JSON.stringify(value) === JSON.stringify(again) ? value : undefined
    })

  const ownerOf = (id: number, isPrivate: boolean): Held => {
    const thread = living.get(id)
    if (thread !== undefined)
      return { owner: { thread, os_id: id, state: "alive" }, held: `held by ${labelOf(thread)}` }
    return isPrivate
      ? { owner: { os_id: id, state: "dead" }, held: `held by thread ${id}, which has ended without an unlock` }
      : { owner: { os_id: id, state: "unknown" }, held: `held by thread ${id}, which is not a thread of this process` }
  }

  const mutex = Effect.fnUntraced(function* ({ address, isPrivate }: SystemCalls.Futex) {
    const owner = yield* twice(address, LockWords.mutexSize, LockWords.mutexOwner)
    return owner === undefined ? unheld : ownerOf(owner, isPrivate)
  })

  const rwlock = Effect.fnUntraced(function* ({ address, isPrivate }: SystemCalls.Futex) {
    const symbol = yield* symbolOf(session, address)
    // The lock begins 8 or 12 bytes before the futex. The symbol of a variable says which.
    const offset = LockWords.rwlockFutexes.find((one) => one === symbol?.offset)
    if (offset === undefined) return unheld
    const start = address - BigInt(offset)
    const found = yield* twice(start, LockWords.rwlockSize, LockWords.rwlockOwner)
    if (found === undefined) return unheld
    if (found.writer !== undefined) return { ...ownerOf(found.writer, isPrivate), address: start }
    const count = found.readers
    return { held: count === 0 ? "" : `held by ${count} reader${count === 1 ? "" : "s"}`, address: start }
  })

  return (waiting: Waiting): Effect.Effect<Held> => {
    const { futex, joined: id, kind } = waiting
    if (id !== undefined) {
      const thread = living.get(id)
      return Effect.succeed(
        thread === undefined ? unheld : { owner: { thread, os_id: id, state: "alive" }, held: labelOf(thread) }
      )
    }
    if (futex === undefined || !waiting.by.includes("stack")) return Effect.succeed(unheld)
    if (kind === "mutex") return mutex(futex)
    return kind === "rwlock" ? rwlock(futex) : Effect.succeed(unheld)
  }
}

const labelOf = ({ id, number, name }: Frame.Thread) =>
  `thread ${number ?? id}${name === undefined || name === "" ? "" : ` (${name})`}`

const symbolOf = Effect.fnUntraced(
  function* (session: Session, address: bigint) {
    const { faults } = (yield* session.connection).inspection
    return faults === undefined ? undefined : yield* faults.symbol(address)
  },
  Effect.orElseSucceed(() => undefined)
)

/** Size of the part of a thread's descriptor that has the word on which `pthread_join` waits. */
const descriptorSize = 4096n

/**
 * Returns a wait on a futex as a join, if the futex is the word of a living thread that the kernel clears at its end: it is in the
 * descriptor of that thread, and has its id. The functions of a join may have no names.
 */
const asJoin = Effect.fnUntraced(function* (
  view: StopView,
  living: ReadonlyMap<number, Frame.Thread>,
  waiting: Waiting
) {
  const { futex, thread } = waiting
  const target = futex === undefined || futex.isPrivate ? undefined : living.get(futex.expected)
  if (waiting.kind !== "futex" || futex === undefined || target === undefined || target.id === thread.id) return waiting
  const groups = yield* view.registers(yield* view.frame(target.id, 0))
  const text = groups.flatMap(({ registers }) => registers).find(({ name }) => name === "fs_base")?.value
  const base = /^0x[0-9a-fA-F]+/.exec(text ?? "")?.[0]
  if (base === undefined || futex.address < BigInt(base) || futex.address >= BigInt(base) + descriptorSize)
    return waiting
  const { lock: _, ...rest } = waiting
  const join: Waiting = { ...rest, kind: "join", by: ["kernel", "registers"], joined: futex.expected }
  return join
})

/** A key that is equal for threads that wait for the same in the same place. */
const keyOf = ({ frames, joined: id, kind, lock, object }: Waiting): string =>
  [kind, lock, id, object, ...userFrames(frames).map(({ address, file, line }) => address ?? `${file}:${line}`)].join(
    "|"
  )

const nouns: { readonly [kind in Explanation.WaitKind]?: string } = {
  mutex: "mutex",
  rwlock: "read-write lock",
  condition: "condition",
  semaphore: "semaphore",
  barrier: "barrier",
  futex: "futex"
}

const clauses: { readonly [kind in Explanation.WaitKind]?: string } = {
  runs: "runs",
  sleep: "sleeps",
  signal: "waits for a signal",
  poll: "waits for descriptors (poll)",
  unknown: "waits for something unknown",
  task: "waits for a task",
  channel: "waits for a channel"
}

/** Returns the clause of a wait. */
const clauseOf = (kind: Explanation.WaitKind, object: string | undefined, held: string): string => {
  const noun = nouns[kind]
  const by = held === "" ? "" : `, ${held}`
  if (noun !== undefined) return `waits for ${noun}${object === undefined ? "" : ` ${object}`}${by}`
  if (kind === "join") return `waits for the end of ${held === "" ? "a thread" : held}`
  if (kind === "read" || kind === "write") return `${kind === "read" ? "reads" : "writes"} ${object ?? "a descriptor"}`
  if (kind === "child") return `waits for ${object ?? "a child process"}`
  if (kind === "lock") return `waits for a lock of ${object ?? "a file"}`
  return clauses[kind] ?? kind
}

/** Names a descriptor: `fd 3 (pipe)`, `fd 5 (/tmp/queue)`. */
export const describedFd = Effect.fnUntraced(function* (processes: Processes["Service"], pid: number, object: string) {
  const fd = /^fd (-?\d+)$/.exec(object)?.[1]
  if (fd === undefined || processes.descriptor === undefined) return object
  const target = yield* processes.descriptor(pid, Number(fd))
  return target === undefined ? object : `${object} (${target.replace(/^(pipe|socket):\[(\d+)\]$/, "$1 $2")})`
})

/** The numbers of threads as people read them. */
const numbersOf = (threads: ReadonlyArray<Frame.Thread>) => threads.map(({ id, number }) => number ?? id)

const listed = (numbers: ReadonlyArray<number>) =>
  numbers.length < 2 ? numbers.join("") : `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`

/** Returns the sentence about all threads. */
const summaryOf = (count: number, waits: ReadonlyArray<Explanation.Wait>, cycles: Waits["cycles"]): string => {
  const [cycle] = cycles
  if (cycle !== undefined) {
    const numbers = numbersOf(cycle.map(({ thread }) => thread))
    const more =
      cycles.length === 1 ? "" : `, and ${cycles.length - 1} more such circle${cycles.length === 2 ? "" : "s"}`
    return numbers.length === 1
      ? `thread ${numbers[0]} of ${count} waits for itself${more}`
      : `threads ${listed(numbers)} of ${count} wait for each other${more}`
  }
  const [first] = waits
  const running = waits.filter(({ kind }) => kind === "runs").reduce((sum, wait) => sum + wait.count, 0)
  if (first === undefined) return `${count} threads`
  if (running > 0)
    return `${running} of ${count} thread${count === 1 ? " runs" : "s run"}; no circle of waiting threads`
  const who = first.count === 1 ? `thread ${numbersOf(first.threads)[0] ?? ""}` : `${first.count} of ${count} threads`
  return `${who}: ${first.text}`
}

/** The order in which groups are shown: those in circles first, then locks, then the rest; larger groups first. */
const rank = (wait: Explanation.Wait, inCycle: ReadonlySet<number>): number => {
  if (wait.threads.some(({ id }) => inCycle.has(id))) return 0
  if (wait.owner !== undefined && wait.kind !== "join") return 1
  if (wait.kind === "mutex" || wait.kind === "rwlock") return 2
  if (wait.kind === "join") return 5
  return wait.kind === "sleep" || wait.kind === "signal" || wait.kind === "poll" ? 4 : 3
}

/** Returns what all threads of a stopped program wait for. */
export const of = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  processes: Processes["Service"],
  all: boolean
) {
  const threads = yield* view.threads
  yield* view.prefetchStacks(depth)
  const { pid } = session.log.snapshot
  const { existing } = session.launch
  const isLocal = pid !== undefined && existing?.kind !== "core" && existing?.kind !== "remote"
  const kernel = new Map(
    (isLocal && processes.threads !== undefined ? yield* processes.threads(pid) : []).map((one) => [one.id, one])
  )
  const arch = processes.machine?.arch ?? ""
  const living = new Map(threads.map((thread) => [thread.os_id ?? thread.id, thread]))
  const waiting = yield* Effect.forEach(threads, (thread) =>
    Effect.flatMap(view.stack(thread.id, 0, depth), ({ frames }) => {
      const one = joined(thread, frames, kernel.get(thread.os_id ?? thread.id), arch)
      return asJoin(view, living, one).pipe(
        Effect.catchTag(["AdapterError", "Unsupported", "FrameNotFound"], () => Effect.succeed(one))
      )
    })
  )
  const groups = new Map<string, Array<Waiting>>()
  for (const one of waiting) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  const read = owners(session, view, living)
  const held = new Map<string, Held>()
  const symbols = new Map<bigint, string | undefined>()
  const waits: Array<Explanation.Wait> = []
  const edges = new Map<number, { readonly to: Frame.Thread; readonly wait: Explanation.Wait }>()
  for (const members of groups.values()) {
    const [first] = members
    if (first === undefined) continue
    const key = `${first.kind}|${first.lock ?? first.joined ?? ""}`
    if (!held.has(key)) held.set(key, held.size < mostObjects ? yield* read(first) : unheld)
    const { address = first.lock, held: by = "", owner } = held.get(key) ?? unheld
    if (address !== undefined && !symbols.has(address)) {
      const found = symbols.size < mostObjects ? yield* symbolOf(session, address) : undefined
      const offset = found === undefined || found.offset === 0 || inside.has(first.kind) ? "" : `+${found.offset}`
      symbols.set(address, found === undefined ? undefined : `${found.name}${offset}`)
    }
    const symbol = address === undefined ? undefined : symbols.get(address)
    const object =
      address === undefined
        ? first.object === undefined || pid === undefined || !isLocal
          ? first.object
          : yield* describedFd(processes, pid, first.object)
        : hex(address)
    const frames = userFrames(first.frames)
    const wait: Explanation.Wait = {
      threads: members.slice(0, all ? members.length : mostThreads).map(({ thread }) => thread),
      count: members.length,
      kind: first.kind,
      text: clauseOf(first.kind, symbol ?? object, by),
      ...(object === undefined ? {} : { object }),
      ...(symbol === undefined ? {} : { symbol }),
      ...(owner === undefined ? {} : { owner }),
      stack: (frames.length === 0 ? first.frames : frames).slice(0, all ? depth : shownFrames),
      by: [...first.by, ...(owner === undefined || first.kind === "join" ? [] : (["memory"] as const))]
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
        kind === "join" ? `the end of ${labelOf(edge.to)}` : `${nouns[kind] ?? kind} ${symbol ?? object ?? ""}`.trim()
      return [{ thread, waits_for: what, held_by: edge.to }]
    })
  )
  const inCycle = new Set(cycles.flat().map(({ thread }) => thread.id))
  const sorted = waits.toSorted((a, b) => rank(a, inCycle) - rank(b, inCycle) || b.count - a.count)
  const facts: ReadonlyArray<Explanation.Fact> =
    kernel.size > 0 || !isLocal
      ? []
      : [
          {
            kind: "limit",
            text: "the kernel's view of the threads cannot be read, so owners are unknown",
            by: "kernel"
          }
        ]
  const result: Waits = {
    threads: threads.length,
    waits: sorted,
    cycles,
    summary: summaryOf(threads.length, sorted, cycles),
    facts
  }
  return result
})
