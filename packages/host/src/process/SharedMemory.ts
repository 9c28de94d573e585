/**
 * Which memory of a process another one may have, from `/proc/PID/maps` (proc_pid_maps(5)). Only Linux has it. An id of a thread in such
 * memory may belong to another PID namespace, in which the same id is another thread (pid_namespaces(7)).
 */
import * as Effect from "effect/Effect"
import { readdir, readFile, readlink } from "node:fs/promises"

/** Number of processes that are read at a time. */
const concurrency = 32

/** The first PID namespace of a system (`PROC_PID_INIT_INO`): all others are inside of it, so its processes see all. */
const first = "pid:[4026531836]"

const text = (path: string) =>
  Effect.tryPromise(() => readFile(path, "latin1")).pipe(Effect.orElseSucceed(() => undefined))

const namespaceOf = (pid: number | "self") =>
  Effect.tryPromise(() => readlink(`/proc/${pid}/ns/pid`)).pipe(Effect.orElseSucceed(() => undefined))

/** Returns the device and the inode of the shared mapping that has an address; undefined for memory of the process alone. */
export const sharedFile = (maps: string, address: bigint): string | undefined => {
  for (const line of maps.split("\n")) {
    const [, start, end, permissions = "", device, inode] =
      /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ (\S+) (\d+)/.exec(line) ?? []
    if (start === undefined || end === undefined) continue
    if (address < BigInt(`0x${start}`) || address >= BigInt(`0x${end}`)) continue
    return permissions.endsWith("s") ? `${device} ${inode}` : undefined
  }
  return undefined
}

/** True if a list of mappings has the file of a device and an inode. */
const maps = (list: string, file: string): boolean => list.split("\n").some((line) => line.includes(` ${file} `))

/** True if a process is in a namespace inside of that of the reader, by its `status`. */
const isNested = (status: string | undefined): boolean => /^NSpid:\s*\d+\s+\d/m.test(status ?? "")

/** True if a process of another PID namespace may have the memory at an address of a process, also if that is not known. */
export const isForeign = Effect.fn("SharedMemory.isForeign")(function* (pid: number, address: bigint) {
  const own = yield* text(`/proc/${pid}/maps`)
  if (own === undefined) return true
  const file = sharedFile(own, address)
  if (file === undefined) return false
  if ((yield* namespaceOf("self")) !== first) return true
  const namespace = yield* namespaceOf(pid)
  const isInside = isNested(yield* text(`/proc/${pid}/status`))
  const names = yield* Effect.tryPromise(() => readdir("/proc")).pipe(
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )
  const others = names.filter((name) => /^\d+$/.test(name) && Number(name) !== pid).map(Number)
  const found = yield* Effect.forEach(
    others,
    Effect.fnUntraced(function* (other) {
      const its = yield* namespaceOf(other)
      const isSame = its === undefined || namespace === undefined ? undefined : its === namespace
      const isOther = isSame === undefined ? isInside || isNested(yield* text(`/proc/${other}/status`)) : !isSame
      if (!isOther) return false
      const list = yield* text(`/proc/${other}/maps`)
      return list === undefined || maps(list, file)
    }),
    { concurrency }
  )
  return found.includes(true)
})
