/**
 * Finds the processes that have a pipe open, by the links in `/proc/PID/fd` (proc(5)). Only Linux has them, and only those of
 * processes of the same user can be read. Processes that started before the pipe was made cannot have inherited it. They are
 * skipped, because they are most of the table.
 */
import type { Processes } from "@sigtrap/manager"
import * as Option from "effect/Option"
import { readdirSync, readFileSync } from "node:fs"
import * as ProcessDescription from "./ProcessDescription.ts"
import * as ProcStat from "./ProcStat.ts"

/** Unit of start times in `/proc/PID/stat`, per second (USER_HZ). */
const ticks = 100

/** Time before the pipe was made that is searched too, in seconds, since the units are rounded. */
const slack = 1

/** Returns the time since boot, in seconds; 0 if unknown. */
const uptime = (): number => {
  try {
    return Number.parseFloat(readFileSync("/proc/uptime", "latin1"))
  } catch {
    return 0
  }
}

const holds = (pid: string, paths: ReadonlyArray<string>, since: number): boolean => {
  try {
    const process = ProcStat.read(pid)
    if (process === undefined || Number(process.row.started) < since) return false
    const descriptors = `${process.folder}/fd`
    return readdirSync(descriptors).some((descriptor) => {
      const target = ProcessDescription.link(`${descriptors}/${descriptor}`)
      return target !== undefined && paths.includes(target)
    })
  } catch {
    return false
  }
}

/**
 * Returns a function that finds the processes, except this one, that have one of these files open; none on other systems than
 * Linux. The files were made just before, and their paths have no symbolic links.
 */
export const finder = (paths: ReadonlyArray<string>): (() => ReadonlyArray<Processes.Description>) => {
  if (process.platform !== "linux") return () => []
  const since = (uptime() - slack) * ticks
  return () =>
    readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid && holds(entry, paths, since))
      .flatMap((entry) => Option.toArray(ProcessDescription.read(Number(entry))))
}
