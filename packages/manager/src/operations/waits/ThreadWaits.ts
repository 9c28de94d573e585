/**
 * What one thread waits for: what the functions on its stack and its system call say together.
 */
import type { Explanation, Frame } from "@sigtrap/protocol"
import * as EventLoop from "../../model/waits/EventLoop.ts"
import * as SystemCalls from "../../model/waits/SystemCalls.ts"
import * as WaitFrames from "../../model/waits/WaitFrames.ts"
import type { KernelThread } from "../../ports/Processes.ts"

/** One thread: its frames, and what is known of its wait. */
export interface Waiting {
  readonly thread: Frame.Thread
  readonly frames: ReadonlyArray<Frame.Frame>
  readonly kind: Explanation.WaitKind
  readonly by: ReadonlyArray<Explanation.By>
  /** The system call, unless it waits for a futex. */
  readonly call?: SystemCalls.Waiting
  /** Address of a lock, or a text for another object. */
  readonly lock?: bigint
  readonly object?: string
  readonly futex?: SystemCalls.Futex
  /** The word on which the C library delays the thread, because the kernel refused its lock. */
  readonly refused?: SystemCalls.Futex
  /** The lock's memory has the layout of the C library, so its owner can be read. */
  readonly readable?: true
  /** The thread that is joined, by the id in its own namespace. */
  readonly joined?: number
  /** The descriptors for which it waits in a `poll`. */
  readonly descriptors?: ReadonlyArray<number>
  /** The wait ends by itself after a time. */
  readonly limited?: true
  /** The owner of a lock of the C library. */
  readonly owner?: Frame.Thread
}

/** Who says in which system call a thread is. */
export type CallSource = Extract<Explanation.By, "kernel" | "core">

/**
 * Joins what both sources say of a thread. `source` is where the system call was read. Without a system call the stack alone says what
 * the thread waits for, and no owner can be named. With `stopsInCode`, a thread that waits for nothing known ran code of the program.
 */
export const joined = (
  thread: Frame.Thread,
  frames: ReadonlyArray<Frame.Frame>,
  kernel: KernelThread | undefined,
  arch: string,
  source: CallSource,
  stopsInCode = false
): Waiting => {
  const library = WaitFrames.waitOf(frames)
  const plain = { thread, frames }
  if (kernel === undefined || !kernel.isKnown) {
    if (library === undefined && stopsInCode)
      return { ...plain, kind: EventLoop.isIdle(frames[0]) ? "events" : "runs", by: ["debugger"] }
    return library === undefined
      ? { ...plain, kind: "unknown", by: [] }
      : { ...plain, kind: library.kind, by: ["stack"] }
  }
  const call = SystemCalls.waitOf(kernel, arch)
  if (call === undefined) return { ...plain, kind: "runs", by: [source] }
  const isLimited = call.limited === true && !WaitFrames.isRepeated(frames)
  const of = { ...plain, ...(isLimited ? { limited: true as const } : {}) }
  if (call.kind !== "futex") {
    if (call.kind === "poll" && library?.kind === "future") return { ...of, kind: "future", by: [source, "stack"] }
    // A barrier of libc++ looks for its other threads again and again.
    if (call.kind === "sleep" && library?.kind === "barrier") return { ...of, kind: "barrier", by: [source, "stack"] }
    // A lock on the stack whose thread is in another call has called back into the program's code or is about to wait.
    if (library !== undefined && library.kind !== "sleep") {
      return {
        ...of,
        kind: "unknown",
        by: [source, "stack"],
        ...(call.name === undefined ? {} : { object: call.name })
      }
    }
    const object =
      call.kind === "unknown"
        ? call.name
        : call.fd !== undefined
          ? `fd ${call.fd}`
          : call.pid === undefined
            ? call.name
            : `process ${call.pid}`
    return { ...of, kind: call.kind, call, by: [source], ...(object === undefined ? {} : { object }) }
  }
  const { futex } = call
  if (futex === undefined) return { ...of, kind: "futex", by: [source] }
  // The kernel defines the word of such a futex as the id of the lock's owner, whatever function waits for it.
  if (futex.inherits) return { ...of, kind: "mutex", by: [source], futex, lock: futex.address, readable: true }
  if (WaitFrames.isParked(frames)) return { ...of, kind: library?.kind ?? "park", by: [source, "stack"] }
  if (library === undefined || library.kind === "sleep") {
    return { ...of, kind: "futex", by: [source], futex, lock: futex.address }
  }
  if (library.kind === "mutex" && library.pthread && SystemCalls.isDelay(futex)) {
    return { ...of, kind: "mutex", by: [source, "stack"], refused: futex }
  }
  const shared = { ...of, by: [source, "stack"] as const, futex }
  // A join of other libraries waits for a counter of threads.
  if (library.kind === "join" && !library.pthread) return { ...shared, kind: "join" }
  if (library.kind === "join") return { ...shared, kind: "join", joined: futex.expected }
  const readable = library.pthread ? { readable: true as const } : {}
  return { ...shared, kind: library.kind, lock: futex.address, ...readable }
}
