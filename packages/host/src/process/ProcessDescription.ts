/**
 * Reads the description of a process: executable, command line, user, and whether a debugger is attached.
 *
 * On Linux it comes from `/proc/PID`; the name is that of the link `exe`, or the kernel's short name if the link cannot be
 * read. On other systems it comes from a line of `ps`. A process that exits while it is read counts as not found.
 */
import type { Processes } from "@sigtrap/manager"
import * as Option from "effect/Option"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { basename } from "node:path"
import * as ProcStat from "./ProcStat.ts"

const field = (status: string, name: string): string =>
  new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1]?.trim() ?? ""

/** What the kernel adds to the path of a file that was replaced or removed. */
const deleted = / \(deleted\)$/

const target = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Returns the target of a symbolic link; `undefined` if it cannot be read. */
export const link = (path: string): string | undefined => target(path)?.replace(deleted, "")

/** Reads one process from `/proc`. */
export const read = (pid: number): Option.Option<Processes.Description> => {
  try {
    const found = ProcStat.read(pid)
    if (found === undefined) return Option.none()
    const { folder, row } = found
    const status = readFileSync(`${folder}/status`, "latin1")
    const command = readFileSync(`${folder}/cmdline`, "utf8").replace(/\0$/, "").split("\0")
    const linked = target(`${folder}/exe`)
    const resident = Number.parseInt(field(status, "VmRSS"), 10)
    const executable = linked?.replace(deleted, "")
    return Option.some({
      pid,
      started: row.started,
      parent: row.parent,
      name: executable === undefined ? field(status, "Name") : basename(executable),
      ...(executable === undefined ? {} : { executable }),
      ...(linked !== undefined && deleted.test(linked) ? { replaced: true } : {}),
      ...(row.mainEnded === true ? { mainEnded: true } : {}),
      command,
      sameUser: field(status, "Uid").split(/\s+/)[1] === String(process.geteuid?.()),
      traced: field(status, "TracerPid") !== "0",
      stopped: /^[Tt]/.test(field(status, "State")),
      ...(resident > 0 ? { memory: resident * 1024 } : {})
    })
  } catch {
    return Option.none()
  }
}

/** The name of a process, as in its description, and the pid of its parent. */
export type Program = Pick<Processes.Description, "name" | "parent">

/** Reads the program of a process from `/proc`: two files, where the description needs four. */
export const program = (pid: number): Option.Option<Program> => {
  try {
    const found = ProcStat.read(pid)
    if (found === undefined) return Option.none()
    const { folder, row, text } = found
    const executable = link(`${folder}/exe`)
    const short = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"))
    // npm and npx are scripts of Node, which set this title: `npm exec NAME`.
    const name = /^npm(?: |$)/.test(short) ? "npm" : executable === undefined ? short : basename(executable)
    return Option.some({ name, parent: row.parent })
  } catch {
    return Option.none()
  }
}

/** Finds all processes whose executable has this name, in `/proc`. */
export const named = (name: string): ReadonlyArray<Processes.Description> =>
  readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => Option.toArray(read(Number(pid))))
    .filter((found) => found.name === name)

/** The fields for `ps -o`; the start time has five words. */
export const psFields = "pid=,ppid=,uid=,stat=,lstart=,command="

/** Parses a line of `ps` with these fields. */
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
    sameUser: uid === String(process.geteuid?.()),
    traced: state.includes("X"),
    stopped: state.startsWith("T")
  })
}
