/**
 * What a process of this machine is: its executable, its command line, its user, whether a debugger holds it.
 *
 * Read from `/proc/PID` on Linux: the name of the link `exe`, or the kernel's short name where that may not be read.
 * Elsewhere from one line of `ps`. A process that vanishes while it is read is not there.
 */
import type { Processes } from "@sigtrap/manager"
import * as Option from "effect/Option"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { basename } from "node:path"
import { parseStat } from "./ProcessRow.ts"

const field = (status: string, name: string): string =>
  new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1]?.trim() ?? ""

const link = (path: string): string | undefined => {
  try {
    // The kernel says so when the file was replaced or removed since.
    return readlinkSync(path).replace(/ \(deleted\)$/, "")
  } catch {
    return undefined
  }
}

/** One process, from `/proc`. */
export const read = (pid: number): Option.Option<Processes.Description> => {
  try {
    const row = parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"))
    if (Option.isNone(row)) return Option.none()
    const status = readFileSync(`/proc/${pid}/status`, "latin1")
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replace(/\0$/, "").split("\0")
    const executable = link(`/proc/${pid}/exe`)
    return Option.some({
      pid,
      started: row.value.started,
      parent: row.value.parent,
      name: executable === undefined ? field(status, "Name") : basename(executable),
      ...(executable === undefined ? {} : { executable }),
      command,
      ours: field(status, "Uid").split(/\s+/)[1] === String(process.geteuid?.()),
      traced: field(status, "TracerPid") !== "0",
      stopped: /^[Tt]/.test(field(status, "State"))
    })
  } catch {
    return Option.none()
  }
}

/** Every process whose executable has this name, from `/proc`. */
export const named = (name: string): ReadonlyArray<Processes.Description> =>
  readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => Option.toArray(read(Number(pid))))
    .filter((found) => found.name === name)

/** The fields that `ps -o` is asked for; the start has five words. */
export const psFields = "pid=,ppid=,uid=,stat=,lstart=,command="

/** One line of `ps` with these fields. */
export const parsePs = (line: string): Option.Option<Processes.Description> => {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+((?:\S+\s+){4}\S+)\s+(.*)$/.exec(line)
  const [, pid, parent, uid, state = "", started = "", words = ""] = match ?? []
  if (match === null || state.startsWith("Z")) return Option.none()
  const command = words.trim().split(/\s+/)
  const executable = command[0] ?? ""
  return Option.some({
    pid: Number(pid),
    started,
    parent: Number(parent),
    name: basename(executable),
    ...(executable.startsWith("/") ? { executable } : {}),
    command,
    ours: uid === String(process.geteuid?.()),
    traced: state.includes("X"),
    stopped: state.startsWith("T")
  })
}
