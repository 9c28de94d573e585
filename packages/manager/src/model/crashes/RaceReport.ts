/**
 * Reads the report of a data race that ThreadSanitizer writes before it stops the program: both accesses and the memory. LLDB has no
 * such report of programs that gcc built.
 *
 * The format is that of `PrintReport` in compiler-rt (tsan_report.cpp).
 */
import type { Explanation } from "@sigtrap/protocol"
import * as SanitizerStack from "./SanitizerStack.ts"

/** A data race: its accesses, the later one first, what the memory is, and where it was allocated. */
export interface RaceReport {
  readonly accesses: ReadonlyArray<Explanation.RacingAccess>
  readonly object?: string
  readonly allocated?: Explanation.MemoryEvent
}

const begin = "WARNING: ThreadSanitizer: data race "
const end = "SUMMARY: ThreadSanitizer: data race"

const access =
  /^ {2}(?:Previous )?(atomic )?(read|write) of size (\d+) at (0x[0-9a-f]+) by (?:main thread|thread T(\d+))(?: \(mutexes: ([^)]*)\))?:$/i
const memory =
  /^ {2}Location is (.+?)(?: at 0x[0-9a-f]+)?(?: \(.*\))?(?: allocated by (?:main thread|thread T(\d+)):)?\.?$/
const created = /^ {2}Thread T(\d+) .*\(tid=(\d+),/

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

/** Returns the newest data race in the output of a program; undefined if it has none, or only a part of it. */
export const parse = (output: string): RaceReport | undefined => {
  const start = output.lastIndexOf(begin)
  const stop = output.indexOf(end, start)
  if (start < 0 || stop < 0) return undefined
  const lines = output.slice(start, stop).split("\n")
  const systemIds = new Map(
    lines.flatMap((line) => {
      const [, thread, id] = created.exec(line) ?? []
      return thread === undefined ? [] : [[Number(thread), Number(id)] as const]
    })
  )
  const accesses = lines.flatMap((line, index) => {
    const found = accessIn(line, lines.slice(index + 1))
    if (found === undefined) return []
    const os_id = systemIds.get(found.thread)
    return [os_id === undefined ? found : { ...found, os_id }]
  })
  if (accesses.length < 2) return undefined
  const at = lines.findIndex((line) => memory.test(line))
  const [, object, thread = "0"] = memory.exec(lines[at] ?? "") ?? []
  const frames = SanitizerStack.parse(lines.slice(at + 1))
  return {
    accesses,
    ...(object === undefined || object.includes("??") ? {} : { object }),
    ...(at < 0 || frames.length === 0 ? {} : { allocated: { thread: Number(thread), frames } })
  }
}
