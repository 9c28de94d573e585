/**
 * Waits on locks that the C library has for its own data: the lock of a stream, or of the memory that `malloc` manages. Those of streams
 * are recursive, and have the thread that holds them.
 */
import type { Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as LockWords from "../../model/waits/LockWords.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as SystemCalls from "../../model/waits/SystemCalls.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as SignalReturn from "../frames/SignalReturn.ts"
import type { Waiting } from "./ThreadWaits.ts"

/** Most threads whose registers are read. */
const mostThreads = 64

/** The function of glibc that waits for a lock of the library itself. */
const libraryWait = /^(?:__GI_)?__lll_lock_wait_private$/

/** Returns the address of a thread's descriptor (`pthread_self`) on x86-64; undefined on other processors. */
export const descriptorOf = Effect.fnUntraced(function* (view: StopView, { id }: Frame.Thread) {
  const groups = yield* view.registers(yield* view.frame(id, 0))
  const text = groups.flatMap(({ registers }) => registers).find(({ name }) => name === "fs_base")?.value
  const base = /^0x[0-9a-fA-F]+/.exec(text ?? "")?.[0]
  return base === undefined ? undefined : BigInt(base)
})

const isLibrary = (frame: Frame.Frame | undefined): frame is Frame.Frame =>
  frame !== undefined && RuntimeFrames.runtimeOf(frame) === "libc"

/** Returns the function of the C library that was called, of which the first frame of the list is a part. */
const calledIn = (frames: ReadonlyArray<Frame.Frame>): string | undefined => {
  const end = frames.findIndex((frame) => !isLibrary(frame))
  const called = frames.slice(0, end === -1 ? undefined : end).findLast(RuntimeFrames.isNamed)
  return called === undefined || libraryWait.test(called.function) ? undefined : called.function
}

/** Returns the function of the C library that a thread was in when a signal handler, from which it waits, was called. */
const interruptedIn = Effect.fnUntraced(function* (view: StopView, frames: ReadonlyArray<Frame.Frame>) {
  for (const [index, frame] of frames.entries()) {
    if (index > 0 && (yield* SignalReturn.isAt(view, frame))) return calledIn(frames.slice(index + 1))
  }
  return undefined
})

/** Makes a function that returns a wait on a futex as one for a lock of the C library, if it is one. */
export const make = (view: StopView, threads: ReadonlyArray<Frame.Thread>) => {
  const descriptors = new Map<bigint, Frame.Thread>()

  const ownerOf = Effect.fnUntraced(function* (descriptor: bigint) {
    if (descriptors.size === 0) {
      for (const thread of threads.slice(0, mostThreads)) {
        const found = yield* descriptorOf(view, thread)
        if (found !== undefined) descriptors.set(found, thread)
      }
    }
    return descriptors.get(descriptor)
  })

  return Effect.fnUntraced(function* (waiting: Waiting) {
    const { frames, futex } = waiting
    const [innermost] = frames
    if (futex === undefined || !isLibrary(innermost) || !futex.isPrivate || !SystemCalls.mayBeLock(futex)) {
      return waiting
    }
    const { bytes, unreadable } = yield* view.connection.inspection.memory(futex.address, LockWords.recursiveSize)
    const words = unreadable.length > 0 ? undefined : { address: futex.address, bytes }
    const descriptor = words === undefined ? undefined : LockWords.recursiveOwner(words)
    const owner = descriptor === undefined ? undefined : yield* ownerOf(descriptor)
    if (owner !== undefined) {
      const held: Waiting = { ...waiting, kind: "library", by: [...waiting.by, "registers"], owner }
      return held
    }
    if (!libraryWait.test(innermost.function)) return waiting
    const called = calledIn(frames)
    const interrupted = yield* interruptedIn(view, frames)
    const by = interrupted === undefined ? "" : `, called by a signal handler that interrupted ${interrupted}`
    const found: Waiting = {
      ...waiting,
      kind: "library",
      by: [...waiting.by, "stack"],
      ...(called === undefined ? {} : { object: `${called}${by}` })
    }
    return found
  })
}
