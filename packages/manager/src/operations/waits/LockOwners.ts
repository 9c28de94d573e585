/**
 * The owners of locks. An owner is named only if the lock's memory says it twice and the thread lives.
 */
import type { Explanation, Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as LockWords from "../../model/waits/LockWords.ts"
import type { Futex } from "../../model/waits/SystemCalls.ts"
import type { StopView } from "../../session/values/StopView.ts"
import type { Waiting } from "./ThreadWaits.ts"

/** The owner of a lock, and how it is called. */
export interface Held {
  readonly owner?: Explanation.Owner
  readonly held: string
  /** The lock's address, if it is another one than the futex. */
  readonly address?: bigint
}

/** A lock whose owner is unknown. */
export const unknownOwner: Held = { held: "" }

/** What is needed to read owners. */
export interface Options {
  readonly view: StopView
  /** The threads of the program by the ids that they have in their own namespace. */
  readonly living: ReadonlyMap<number, Frame.Thread>
  /** The offset of the lock of a thread's wait in the variable, or in the part of it, that is the lock. */
  readonly offset: (waiting: Waiting) => Effect.Effect<number | undefined>
  /** The thread that runs the initialization that a thread waits for; undefined if that is unknown. */
  readonly initializer: (waiting: Waiting) => Effect.Effect<Frame.Thread | undefined>
  /** True if no thread of the system has the id. False if that is unknown. */
  readonly isGone: (id: number) => Effect.Effect<boolean>
  /** True if a process of another PID namespace, where the ids are others, may have the memory at an address. */
  readonly isForeign: (address: bigint) => Effect.Effect<boolean>
}

/** Returns the name of a thread in a sentence. */
export const labelOf = ({ id, number, name }: Frame.Thread): string =>
  `thread ${number ?? id}${name === undefined || name === "" ? "" : ` (${name})`}`

/** The owner is a thread of the program that holds a lock, or runs an initialization. */
const heldBy = (thread: Frame.Thread, does: "held" | "run"): Held => ({
  owner: { thread, os_id: thread.os_id ?? thread.id, state: "alive" },
  held: `${does} by ${labelOf(thread)}`
})

/** Makes a reader of the owners of locks. */
export const make = ({
  initializer,
  isForeign,
  isGone,
  living,
  offset,
  view
}: Options): ((waiting: Waiting) => Effect.Effect<Held>) => {
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

  const ownerOf = Effect.fnUntraced(function* (id: number, { address, isPrivate }: Futex) {
    const thread = living.get(id)
    if (thread !== undefined && !isPrivate && (yield* isForeign(address))) {
      const either: Held = {
        owner: { os_id: id, state: "unknown" },
        held: `held by the id ${id}, a thread of this process or of another PID namespace`
      }
      return either
    }
    const alive: Held | undefined =
      thread === undefined
        ? undefined
        : { owner: { thread, os_id: id, state: "alive" }, held: `held by ${labelOf(thread)}` }
    if (alive !== undefined) return alive
    const isMissing = yield* isGone(id)
    // The child of a fork has the lock of a thread of its parent, which may live. A shared lock may be held in another PID namespace.
    const isDead = isPrivate && isMissing
    const stranger = isMissing
      ? `thread ${id}, whose id no thread of this system has`
      : `the system's thread ${id}, which is not a thread of this process`
    // Threads of a process have greater ids than it, unless the ids of the system began again.
    const isInherited = id < Math.min(...living.keys())
    const end = isInherited
      ? "which ended without an unlock, or held it in the parent when this process was forked"
      : "which has ended without an unlock"
    const held: Held = isDead
      ? { owner: { os_id: id, state: "dead" }, held: `held by thread ${id}, ${end}` }
      : { owner: { os_id: id, state: "unknown" }, held: `held by ${stranger}` }
    return held
  })

  const mutex = Effect.fnUntraced(function* (futex: Futex) {
    const { address, inherits } = futex
    const owner = inherits
      ? yield* twice(address, LockWords.wordSize, LockWords.inheritingOwner)
      : yield* twice(address, LockWords.mutexSize, LockWords.mutexOwner)
    return owner === undefined ? unknownOwner : yield* ownerOf(owner, futex)
  })

  const rwlock = Effect.fnUntraced(function* (futex: Futex, waiting: Waiting) {
    const { address } = futex
    const known = yield* offset(waiting)
    // The lock begins 8 or 12 bytes before the futex. The variable says which.
    const before = LockWords.rwlockFutexes.find((one) => one === known)
    if (before === undefined) return unknownOwner
    const start = address - BigInt(before)
    const found = yield* twice(start, LockWords.rwlockSize, LockWords.rwlockOwner)
    if (found === undefined) return unknownOwner
    if (found.writer !== undefined) return { ...(yield* ownerOf(found.writer, futex)), address: start }
    const count = found.readers
    // One thread can have several locks for reading.
    const held = count === 1 ? "held by 1 reader" : `held by ${count} locks for reading`
    return { held: count === 0 ? "" : held, address: start }
  })

  return (waiting) => {
    const { futex, joined: id, kind, owner } = waiting
    if (owner !== undefined) return Effect.succeed(heldBy(owner, "held"))
    if (kind === "once") {
      return Effect.map(initializer(waiting), (thread) => (thread === undefined ? unknownOwner : heldBy(thread, "run")))
    }
    if (id !== undefined) {
      const thread = living.get(id)
      return Effect.succeed(
        thread === undefined ? unknownOwner : { owner: { thread, os_id: id, state: "alive" }, held: labelOf(thread) }
      )
    }
    if (futex === undefined || waiting.readable !== true) return Effect.succeed(unknownOwner)
    if (kind === "mutex") return mutex(futex)
    return kind === "rwlock" ? rwlock(futex, waiting) : Effect.succeed(unknownOwner)
  }
}
