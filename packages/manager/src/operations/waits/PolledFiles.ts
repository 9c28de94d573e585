/**
 * The descriptors for which a thread waits in `poll`, `select` or `epoll_wait`: read from the program's memory, or for epoll from the
 * kernel.
 */
import * as Effect from "effect/Effect"
import type { Polled } from "../../model/waits/SystemCalls.ts"
import type { Processes } from "../../ports/Processes.ts"
import type { StopView } from "../../session/values/StopView.ts"
import type { Waiting } from "./ThreadWaits.ts"

/** Most threads whose descriptors are read. */
const mostThreads = 64

/** Most descriptors of a call that are read. */
const mostDescriptors = 1024

/** Size of a `struct pollfd`: the descriptor and the events (poll(2)). */
const entrySize = 8

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Returns the descriptors of an array of `struct pollfd`. A negative one is ignored by the kernel. */
export const inArray = (bytes: Uint8Array): ReadonlyArray<number> => {
  const view = viewOf(bytes)
  return Array.from({ length: Math.floor(bytes.length / entrySize) }, (_, index) =>
    view.getInt32(index * entrySize, true)
  ).filter((fd) => fd >= 0)
}

/** Returns the descriptors of a set of bits (select(2)). */
export const inSet = (bytes: Uint8Array, count: number): ReadonlyArray<number> =>
  Array.from({ length: Math.min(count, bytes.length * 8) }, (_, fd) => fd).filter(
    (fd) => (((bytes[fd >> 3] ?? 0) >> (fd & 7)) & 1) === 1
  )

/** Makes a reader that adds the descriptors to what a thread waits for; they are absent if they cannot be read. */
export const make = (
  view: StopView,
  processes: Processes["Service"],
  pid: number | undefined
): ((waiting: Waiting) => Effect.Effect<Waiting>) => {
  let left = mostThreads
  const memory = (address: bigint, size: number) =>
    Effect.map(view.connection.inspection.memory(address, size), ({ bytes, unreadable }) =>
      unreadable.length > 0 || bytes.length < size ? undefined : bytes
    ).pipe(Effect.orElseSucceed(() => undefined))

  const read = Effect.fnUntraced(function* (polled: Polled) {
    if (polled.by === "epoll") {
      return pid === undefined ? undefined : yield* processes.files?.watched(pid, polled.fd) ?? Effect.undefined
    }
    if (polled.count > mostDescriptors) return undefined
    if (polled.by === "poll") {
      const bytes = yield* memory(polled.address, polled.count * entrySize)
      return bytes === undefined ? undefined : inArray(bytes)
    }
    const sets = yield* Effect.forEach(polled.sets, (address) => memory(address, Math.ceil(polled.count / 8)))
    const found = sets.map((bytes) => (bytes === undefined ? undefined : inSet(bytes, polled.count)))
    const known = found.filter((one) => one !== undefined)
    return known.length < found.length ? undefined : [...new Set(known.flat())].toSorted((a, b) => a - b)
  })

  return (waiting) => {
    const polled = waiting.call?.polled
    if (polled === undefined || left === 0) return Effect.succeed(waiting)
    left--
    return Effect.map(read(polled), (descriptors) =>
      descriptors === undefined || descriptors.length === 0 ? waiting : { ...waiting, descriptors }
    )
  }
}
