/**
 * Reads the report that ThreadSanitizer writes before it stops the program: both accesses of a data race and the memory, the locks of a
 * wrong order, the thread that was not joined. LLDB has no such report of programs that gcc built.
 *
 * The format is that of `PrintReport` in compiler-rt (tsan_report.cpp).
 */
import type { Explanation } from "@sigtrap/protocol"
import * as SanitizerStack from "./SanitizerStack.ts"

/** A mutex that a thread locked while it held another one. Both are addresses; the frames are those of the user. */
interface LockOrder {
  readonly thread: number
  readonly held: string
  readonly locked: string
  readonly frames: Explanation.MemoryEvent["frames"]
}

/**
 * A report. A data race has its accesses, the later one first, what the memory is, and where it was allocated. A use of freed memory has the
 * one access, and where it was freed. `order` has the locks that form a cycle, `created` where a thread was created that was not joined.
 */
export interface RaceReport {
  readonly kind: string
  readonly accesses: ReadonlyArray<Explanation.RacingAccess>
  readonly object?: string
  readonly allocated?: Explanation.MemoryEvent
  readonly freed?: Explanation.MemoryEvent
  readonly order?: ReadonlyArray<LockOrder>
  readonly created?: Explanation.MemoryEvent
}

const begin = "WARNING: ThreadSanitizer: "
const end = "SUMMARY: ThreadSanitizer: "

const access =
  /^ {2}(?:Previous )?(atomic )?(read|write) of size (\d+) at (0x[0-9a-f]+) by (?:main thread|thread T(\d+))(?: \(mutexes: ([^)]*)\))?:$/i
const memory =
  /^ {2}Location is (.+?)(?: at 0x[0-9a-f]+)?(?: \(.*\))?(?: allocated by (?:main thread|thread T(\d+)):)?\.?$/
const created = /^ {2}Thread T(\d+) .*\(tid=(\d+),/
const taken = /^ {2}Mutex M(\d+) acquired here while holding mutex M(\d+) in (?:main thread|thread T(\d+)):$/

const accessIn = (line: string, stack: ReadonlyArray<string>): Explanation.RacingAccess | undefined => {
  const [, atomic, kind, size, address, thread = "0", mutexes = ""] = access.exec(line) ?? []
  if (kind === undefined || size === undefined || address === undefined) return undefined
  return {
    access: kind.toLowerCase() === "read" ? "read" : "write",
    ...(atomic === undefined ? {} : { atomic: true as const }),
    size: Number(size),
    address,
    thread: Number(thread),
    locks: mutexes.split(", ").filter((one) => one !== "").length,
    frames: SanitizerStack.parse(stack)
  }
}

const orderIn = (lines: ReadonlyArray<string>): ReadonlyArray<LockOrder> => {
  const graph = lines.find((line) => line.startsWith("  Cycle in lock order graph: ")) ?? ""
  const addresses = new Map(Array.from(graph.matchAll(/M(\d+) \((0x[0-9a-f]+)\)/g), ([, id, at]) => [id, at] as const))
  return lines.flatMap((line, index) => {
    const [, locked, held, thread = "0"] = taken.exec(line) ?? []
    const [of, before] = [addresses.get(locked), addresses.get(held)]
    if (of === undefined || before === undefined) return []
    return [{ thread: Number(thread), held: before, locked: of, frames: SanitizerStack.parse(lines.slice(index + 1)) }]
  })
}

/** Returns the newest report in the output of a program; undefined if it has none, or only a part of it. */
export const parse = (output: string): RaceReport | undefined => {
  const start = output.lastIndexOf(begin)
  const stop = output.indexOf(end, start)
  if (start < 0 || stop < 0) return undefined
  const kind = /^(.+?) \(pid=\d+\)/.exec(output.slice(start + begin.length))?.[1]
  if (kind === undefined) return undefined
  const lines = output.slice(start, stop).split("\n")
  const systemIds = new Map(
    lines.flatMap((line) => {
      const [, thread, id] = created.exec(line) ?? []
      return thread === undefined ? [] : [[Number(thread), Number(id)] as const]
    })
  )
  const all = lines.flatMap((line, index) => {
    const found = accessIn(line, lines.slice(index + 1))
    if (found === undefined) return []
    const os_id = systemIds.get(found.thread)
    return [os_id === undefined ? found : { ...found, os_id }]
  })
  if (kind.startsWith("data race") && all.length < 2) return undefined
  const at = lines.findIndex((line) => memory.test(line))
  const [, object, thread = "0"] = memory.exec(lines[at] ?? "") ?? []
  const frames = SanitizerStack.parse(lines.slice(at + 1))
  // The earlier access to freed memory is that of the allocator, which freed it.
  const isFreed = kind === "heap-use-after-free"
  const [used, freeing] = all
  const order = orderIn(lines)
  const born = kind === "thread leak" ? lines.findIndex((line) => created.test(line)) : -1
  return {
    kind,
    accesses: isFreed ? (used === undefined ? [] : [used]) : all,
    ...(order.length === 0 ? {} : { order }),
    ...(object === undefined || object.includes("??") ? {} : { object }),
    ...(at < 0 || frames.length === 0 ? {} : { allocated: { thread: Number(thread), frames } }),
    ...(isFreed && freeing !== undefined ? { freed: { thread: freeing.thread, frames: freeing.frames } } : {}),
    ...(born < 0
      ? {}
      : {
          created: {
            thread: Number(created.exec(lines[born] ?? "")?.[1]),
            frames: SanitizerStack.parse(lines.slice(born + 1))
          }
        })
  }
}
