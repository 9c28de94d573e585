/**
 * Finds for what a thread waits on a futex (a lock, a condition or the end of a thread) where the functions on its stack do not show
 * it: the C library's functions often have no names. The memory of the program then decides; where it does not, the wait stays one
 * for a futex.
 */
import type { Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as LockWords from "../../model/waits/LockWords.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as SystemCalls from "../../model/waits/SystemCalls.ts"
import * as WaitFrames from "../../model/waits/WaitFrames.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as LibraryLocks from "./LibraryLocks.ts"
import * as RefusedLocks from "./RefusedLocks.ts"
import type { Waiting } from "./ThreadWaits.ts"

/** The threads of the program by the ids that they have in their own namespace. */
type Living = ReadonlyMap<number, Frame.Thread>

/** Size of the part of a thread's descriptor that has the word on which `pthread_join` waits. */
const descriptorSize = 4096n

/**
 * Returns a wait on a futex as a join, if the futex is the word of a living thread that the kernel clears at its end: it is in the
 * descriptor of that thread, and has its id.
 */
const asJoin = Effect.fnUntraced(function* (view: StopView, living: Living, waiting: Waiting) {
  const { futex, thread } = waiting
  const target = futex === undefined || futex.isPrivate ? undefined : living.get(futex.expected)
  if (futex === undefined || target === undefined || target.id === thread.id) return waiting
  const base = yield* LibraryLocks.descriptorOf(view, target)
  if (base === undefined || futex.address < base || futex.address >= base + descriptorSize) return waiting
  const { lock: _, ...rest } = waiting
  const join: Waiting = { ...rest, kind: "join", by: [...waiting.by, "registers"], joined: futex.expected }
  return join
})

const mutexAt = (view: StopView, address: bigint) =>
  Effect.map(view.connection.inspection.memory(address, LockWords.mutexSize), ({ bytes, unreadable }) =>
    unreadable.length > 0 ? undefined : { address, bytes }
  )

/** Returns a wait in the C library on the word of a robust mutex as one for a mutex, if a living thread has it. */
const asRobust = Effect.fnUntraced(function* (view: StopView, living: Living, waiting: Waiting) {
  const { frames, futex } = waiting
  const [innermost] = frames
  const isLibrary = innermost !== undefined && RuntimeFrames.runtimeOf(innermost) === "libc"
  if (futex === undefined || !isLibrary || !SystemCalls.mayBeLock(futex)) return waiting
  const words = yield* mutexAt(view, futex.address)
  const owner = words === undefined ? undefined : LockWords.robustOwner(words)
  if (owner === undefined || !living.has(owner)) return waiting
  const mutex: Waiting = { ...waiting, kind: "mutex", by: [...waiting.by, "memory"], readable: true }
  return mutex
})

/**
 * Returns what a thread in a function of conditions waits for. One that was woken locks the mutex of its condition again, in a function
 * that may have no name.
 */
const conditionOrMutex = Effect.fnUntraced(function* (view: StopView, waiting: Waiting) {
  const { futex } = waiting
  if (futex === undefined) return waiting
  if (!SystemCalls.mayBeLock(futex)) {
    const condition: Waiting =
      waiting.readable === true ? { ...waiting, lock: LockWords.conditionWords(futex.address) } : waiting
    return condition
  }
  const words = yield* mutexAt(view, futex.address)
  const isMutex = words !== undefined && LockWords.mutexOwner(words) !== undefined
  const other: Waiting = { ...waiting, kind: isMutex ? "mutex" : "futex" }
  return other
})

/** The address to which the C library's function that waits returns; undefined if another library waits. */
const returnAddress = (frames: ReadonlyArray<Frame.Frame>): string | undefined => {
  const caller = frames.findIndex((frame) => RuntimeFrames.runtimeOf(frame) !== "libc")
  return caller < 1 ? undefined : frames[caller]?.address
}

/** Makes a function that returns a wait with the kind that the memory and the code of the program show. */
export const make = (view: StopView, living: Living) => {
  const asLibrary = LibraryLocks.make(view, [...living.values()])
  /** The functions that are called before an address. */
  const called = new Map<string, string | undefined>()

  const asCalled = Effect.fnUntraced(function* (waiting: Waiting) {
    const address = returnAddress(waiting.frames)
    const { lookup } = view.connection.inspection
    if (address === undefined || lookup === undefined) return waiting
    if (!called.has(address)) called.set(address, yield* lookup.called(BigInt(address)))
    const name = called.get(address)
    const library = name === undefined ? undefined : WaitFrames.waitIn(name)
    if (library === undefined || library.kind === "join") return waiting
    const by = [...waiting.by, "stack"] as const
    if (library.kind === "mutex" && waiting.futex !== undefined && SystemCalls.isDelay(waiting.futex)) {
      const { futex: refused, lock: _, ...rest } = waiting
      const delayed: Waiting = { ...rest, kind: "mutex", by, refused }
      return delayed
    }
    const found: Waiting = { ...waiting, kind: library.kind, by, readable: true }
    return found
  })

  return (waiting: Waiting) =>
    Effect.gen(function* () {
      if (waiting.refused !== undefined) return yield* RefusedLocks.find(view, waiting)
      if (waiting.kind === "condition") return yield* conditionOrMutex(view, waiting)
      if (waiting.kind !== "futex") return waiting
      const join = yield* asJoin(view, living, waiting)
      if (join.kind === "join") return join
      const robust = yield* asRobust(view, living, waiting)
      if (robust.kind !== "futex") return robust
      const library = yield* asLibrary(waiting)
      if (library.kind !== "futex") return library
      const found = yield* asCalled(waiting)
      if (found.refused !== undefined) return yield* RefusedLocks.find(view, found)
      return found.kind === "condition" ? yield* conditionOrMutex(view, found) : found
    }).pipe(
      Effect.catchTag(["AdapterError", "Unsupported", "FrameNotFound"], () => {
        const { lock: _, futex: __, ...unknown } = waiting
        return Effect.succeed(waiting.kind === "condition" ? { ...unknown, kind: "futex" as const } : waiting)
      })
    )
}
