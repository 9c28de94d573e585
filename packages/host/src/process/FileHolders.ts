/**
 * Finds the processes that hold a lock of a file, by `/proc/locks`, or that have the other end of a pipe or of a connection, by
 * `/proc/PID/fd` and `/proc/PID/fdinfo` (proc(5)). Only Linux has them, and only the descriptors of processes of the same user can be
 * read. The files are read without blocking this thread.
 */
import type { Processes } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readdir, readFile, readlink, stat } from "node:fs/promises"
import * as Sockets from "./Sockets.ts"
import * as ProcessDescription from "./ProcessDescription.ts"

/** Number of processes that are read at a time. */
const concurrency = 32

/** Most processes that are named. */
const most = 8

const attempt = <A>(read: () => Promise<A>): Effect.Effect<A | undefined> =>
  Effect.tryPromise(read).pipe(Effect.orElseSucceed(() => undefined))

/** A file by the numbers of its device and its inode. */
interface File {
  readonly device: string
  readonly inode: string
}

/** Returns the numbers of a device as the kernel writes them: `08:01`. */
const deviceOf = (device: bigint): string => {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn)
  const minor = (device & 0xffn) | ((device >> 12n) & 0xffffff00n)
  return [major, minor].map((part) => part.toString(16).padStart(2, "0")).join(":")
}

/** A held lock: `1: FLOCK  ADVISORY  WRITE 708 08:01:131 0 EOF`. A waiting one has `->` behind its number. */
const line = /^\d+: (FLOCK|POSIX|OFDLCK)\s+\S+\s+\S+\s+(-?\d+)\s+([0-9a-f]+:[0-9a-f]+):(\d+)\s+(\d+)\s+(\S+)$/

/**
 * Returns the ids of the processes that hold a lock of a file, from the text of `/proc/locks`. A lock of records counts if it is the only
 * one and of the whole file: others may be of other parts. A lock of an open file has no process.
 */
export const parseLocks = (text: string, { device, inode }: File, kind: Processes.LockKind): ReadonlyArray<number> => {
  const held = text.split("\n").flatMap((row) => {
    const [, type, pid, where, number, start, end] = line.exec(row) ?? []
    const isOfFile = where === device && number === inode && (type === "FLOCK") === (kind === "flock")
    return isOfFile ? [{ pid: Number(pid), isWhole: start === "0" && end === "EOF" }] : []
  })
  const counts = kind === "flock" || (held.length === 1 && held.every(({ isWhole }) => isWhole))
  return counts ? [...new Set(held.map(({ pid }) => pid).filter((pid) => pid > 0))].slice(0, most) : []
}

const named = (pid: number, descriptors: ReadonlyArray<number>): ReadonlyArray<Processes.FileHolder> =>
  Option.match(ProcessDescription.program(pid), {
    onNone: () => [],
    onSome: ({ name }) => [{ pid, name, descriptors }]
  })

/** Returns the processes that hold a lock of the file of a descriptor. */
export const ofLock = Effect.fn("FileHolders.ofLock")(function* (pid: number, fd: number, kind: Processes.LockKind) {
  const found = yield* attempt(() => stat(`/proc/${pid}/fd/${fd}`, { bigint: true }))
  const text = yield* attempt(() => readFile("/proc/locks", "latin1"))
  if (found === undefined || text === undefined) return []
  const file: File = { device: deviceOf(found.dev), inode: String(found.ino) }
  return parseLocks(text, file, kind).flatMap((holder) => named(holder, []))
})

/** The lowest bits of the flags of a descriptor: 0 reads, 1 writes, 2 does both (open(2)). */
const accessMask = 3

/** Returns whether a descriptor is for an end of a pipe. */
const isEnd = Effect.fnUntraced(function* (pid: string, descriptor: string, end: Processes.PipeEnd) {
  const text = yield* attempt(() => readFile(`/proc/${pid}/fdinfo/${descriptor}`, "latin1"))
  const flags = /^flags:\s*([0-7]+)$/m.exec(text ?? "")?.[1]
  if (flags === undefined) return false
  const access = Number.parseInt(flags, 8) & accessMask
  return access === 2 || access === (end === "read" ? 0 : 1)
})

/** Returns the processes that have a file open, as the kernel writes it, by descriptors that count. */
const ofTarget = Effect.fnUntraced(function* (
  target: string,
  counts: (pid: string, descriptor: string) => Effect.Effect<boolean>
) {
  const entries = (yield* attempt(() => readdir("/proc"))) ?? []
  const holders = yield* Effect.forEach(
    entries.filter((entry) => /^\d+$/.test(entry)),
    Effect.fnUntraced(function* (entry) {
      const names = (yield* attempt(() => readdir(`/proc/${entry}/fd`))) ?? []
      const descriptors: Array<number> = []
      for (const name of names) {
        if ((yield* attempt(() => readlink(`/proc/${entry}/fd/${name}`))) !== target) continue
        if (yield* counts(entry, name)) descriptors.push(Number(name))
      }
      return descriptors.length === 0 ? [] : named(Number(entry), descriptors)
    }),
    { concurrency }
  )
  return holders.flat().slice(0, most)
})

/** Returns the processes that have an end of the pipe of a descriptor open; none for another file. */
export const ofPipe = Effect.fn("FileHolders.ofPipe")(function* (pid: number, fd: number, end: Processes.PipeEnd) {
  const path = `/proc/${pid}/fd/${fd}`
  const target = yield* attempt(() => readlink(path))
  const kind = yield* attempt(() => stat(path))
  if (target === undefined || kind?.isFIFO() !== true) return []
  return yield* ofTarget(target, (entry, name) => isEnd(entry, name, end))
})

const targetOf = (pid: number, fd: number) => attempt(() => readlink(`/proc/${pid}/fd/${fd}`))

/** Describes the socket of a descriptor; undefined for another file. */
export const socket = Effect.fnUntraced(function* (pid: number, fd: number) {
  const target = yield* targetOf(pid, fd)
  return target === undefined ? undefined : yield* Sockets.describe(pid, target)
})

/** Returns the processes that have the other end of the TCP connection of a descriptor; none for another file. */
export const ofConnection = Effect.fn("FileHolders.ofConnection")(function* (pid: number, fd: number) {
  const target = yield* targetOf(pid, fd)
  const peer = target === undefined ? undefined : yield* Sockets.peer(pid, target)
  return peer === undefined ? [] : yield* ofTarget(peer, () => Effect.succeed(true))
})

/** A watched descriptor of epoll, with the inode of its file: `tfd: 5 events: 19 data: 5 pos:0 ino:61af sdev:7`. */
const watchedLine = /^tfd:\s*(\d+)\s.*\bino:([0-9a-f]+)/gm

/** Returns the descriptors that an epoll descriptor watches, without those that are another file by now. */
export const watched = Effect.fnUntraced(function* (pid: number, fd: number) {
  const text = yield* attempt(() => readFile(`/proc/${pid}/fdinfo/${fd}`, "latin1"))
  if (text === undefined) return undefined
  const found: Array<number> = []
  for (const [, descriptor, inode = ""] of text.matchAll(watchedLine)) {
    const file = yield* attempt(() => stat(`/proc/${pid}/fd/${descriptor}`, { bigint: true }))
    if (file?.ino === BigInt(`0x${inode}`)) found.push(Number(descriptor))
  }
  return found.toSorted((a, b) => a - b)
})

/** Returns whether a path of a process, seen from its directory, is a named pipe. */
export const isNamedPipe = (pid: number, path: string): Effect.Effect<boolean> =>
  Effect.map(
    attempt(() => stat(path.startsWith("/") ? `/proc/${pid}/root${path}` : `/proc/${pid}/cwd/${path}`)),
    (found) => found?.isFIFO() === true
  )
