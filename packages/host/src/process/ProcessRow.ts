/**
 * Parses a row of the process table: `/proc/PID/stat`, or a line of `ps`. Plain code without Effect, since the supervisor's
 * thread uses it too.
 */
import type { Processes } from "@sigtrap/manager"

/** A process and its parent. */
export interface Row extends Processes.ProcessId {
  readonly parent: number
  /** True if the main thread has ended and other threads run (`pthread_exit` in `main`). */
  readonly mainEnded?: boolean
}

/**
 * Parses `/proc/PID/stat` (proc(5)). The name in parentheses may contain blanks and parentheses; after the last one come
 * the fields state (3) and parent (4), as the 20th the number of threads, and as the 22nd the start time in clock ticks since
 * boot. A zombie is skipped, unless other threads run after the main thread has ended.
 */
export const parseStat = (text: string): Row | undefined => {
  const end = text.lastIndexOf(")")
  const pid = Number.parseInt(text, 10)
  const fields = text
    .slice(end + 1)
    .trim()
    .split(" ")
  const [state = "", parent] = fields
  const started = fields[19]
  const isOver = state === "X" || (state === "Z" && !(Number(fields[17]) > 1))
  if (end < 0 || !(pid > 0) || started === undefined || isOver) return undefined
  return { pid, parent: Number(parent), started, ...(state === "Z" ? { mainEnded: true } : {}) }
}

/** Returns whether the text of a file `stat` is that of a thread that has ended. */
export const isZombie = (text: string): boolean => /^ [ZX]/.test(text.slice(text.lastIndexOf(")") + 1))

/** State of a process. */
export type State = "running" | "sleeping" | "waiting for a device" | "stopped" | "stopped by a debugger" | "unknown"

const states: { readonly [letter: string]: State } = {
  R: "running",
  S: "sleeping",
  I: "sleeping",
  D: "waiting for a device",
  U: "waiting for a device",
  T: "stopped",
  t: "stopped by a debugger"
}

/** Returns the state by its letter in `/proc/PID/stat`, after the name in parentheses, or in `ps`. */
export const stateIn = (text: string): State =>
  states[text.slice(text.lastIndexOf(")") + 1).trim()[0] ?? ""] ?? "unknown"

/** Parses a line of `ps -o pid=,ppid=,stat=,lstart=`. A zombie is skipped. */
export const parsePs = (line: string): Row | undefined => {
  const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line)
  return match === null || match[3]?.startsWith("Z") === true
    ? undefined
    : { pid: Number(match[1]), parent: Number(match[2]), started: match[4] ?? "" }
}

/** Returns the processes below `root`, each after its parent. */
export const descendants = (rows: ReadonlyArray<Row>, root: number): ReadonlyArray<Row> => {
  const children = new Map<number, Array<Row>>()
  for (const row of rows) children.set(row.parent, [...(children.get(row.parent) ?? []), row])
  const found: Array<Row> = [...(children.get(root) ?? [])]
  for (let index = 0; index < found.length; index++) {
    const next = found[index]
    if (next !== undefined) found.push(...(children.get(next.pid) ?? []).filter((row) => !found.includes(row)))
  }
  return found
}
