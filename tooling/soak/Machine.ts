/**
 * The process table as a second source of truth: states, parents, tracers, descriptors and memory of processes, read from
 * /proc (Linux).
 */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs"

/** A process: its state letter (proc(5)), parent, start time in clock ticks, and the process that traces it (0: none). */
export interface Process {
  readonly pid: number
  readonly name: string
  readonly state: string
  readonly parent: number
  readonly started: string
  readonly tracer: number
}

const text = (path: string): string | undefined => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return undefined
  }
}

/** Returns a process; nothing if it does not exist or has exited. */
export const lookup = (pid: number): Process | undefined => {
  const stat = text(`/proc/${pid}/stat`)
  const status = text(`/proc/${pid}/status`)
  if (stat === undefined || status === undefined) return undefined
  const end = stat.lastIndexOf(")")
  const fields = stat.slice(end + 2).split(" ")
  const [state = "", parent = "0"] = fields
  if (state === "Z" || state === "X") return undefined
  return {
    pid,
    name: stat.slice(stat.indexOf("(") + 1, end),
    state,
    parent: Number(parent),
    started: fields[19] ?? "",
    tracer: Number(/^TracerPid:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  }
}

/** Returns all processes. */
const processes = (): ReadonlyArray<Process> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => lookup(Number(name)) ?? [])

/** Returns the processes whose environment contains a text. */
export const carrying = (marker: string): ReadonlyArray<Process> =>
  processes().filter(({ pid }) => text(`/proc/${pid}/environ`)?.includes(marker) === true)

/** Returns the words of a process's command line, each ended by NUL; "" if it has exited. */
export const commandLine = (pid: number): string => text(`/proc/${pid}/cmdline`) ?? ""

/** Returns the processes that run a file. */
export const running = (file: string): ReadonlyArray<Process> =>
  processes().filter(({ pid }) => {
    try {
      return readlinkSync(`/proc/${pid}/exe`) === file
    } catch {
      return false
    }
  })

/** Returns what the open descriptors of a process refer to; numbers of sockets and pipes are left out. */
export const descriptors = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`).replace(/\[\d+\]/, "")]
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}

/** Returns the resident memory of a process, in bytes; nothing if it has exited. */
export const memory = (pid: number): number | undefined => {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(text(`/proc/${pid}/status`) ?? "")?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

/** Reads a signed 64-bit integer of another process; nothing if that is not possible. */
export const integerAt = (pid: number, address: number): number | undefined => {
  try {
    const descriptor = openSync(`/proc/${pid}/mem`, "r")
    try {
      const bytes = Buffer.alloc(8)
      // The memory of a process that has just ended reads as nothing.
      const isWhole = readSync(descriptor, bytes, 0, 8, address) === 8
      return isWhole ? Number(bytes.readBigInt64LE()) : undefined
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

/** Returns the debugger of a program: the topmost process between its tracer or parent and the daemon. */
export const debuggerOf = (program: Process, daemon: number): Process | undefined => {
  let at = lookup(program.tracer === 0 ? program.parent : program.tracer)
  while (at !== undefined && at.parent !== daemon && at.parent > 1) at = lookup(at.parent)
  return at?.parent === daemon ? at : undefined
}

/** Sends a signal if the process exists. */
export const signal = (pid: number, name: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
