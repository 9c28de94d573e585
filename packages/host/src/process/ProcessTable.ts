/**
 * The process table, read synchronously: `/proc` on Linux, `ps` on other systems. Plain code without Effect, for the
 * supervisor's thread and for a client that ends a daemon; both may wait.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { parsePs, stateIn, type Row, type State } from "./ProcessRow.ts"
import * as ProcStat from "./ProcStat.ts"

export type { State } from "./ProcessRow.ts"

const readStat = (pid: number | string): ReadonlyArray<Row> => {
  const found = ProcStat.read(pid)
  return found === undefined ? [] : [found.row]
}

const psText = (...args: ReadonlyArray<string>): string =>
  execFileSync("/bin/ps", args, {
    env: { LC_ALL: "C" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 1000
  })

const ps = (...which: ReadonlyArray<string>): ReadonlyArray<Row> => {
  try {
    const text = psText(...which, "-ww", "-o", "pid=,ppid=,stat=,lstart=")
    return text.split("\n").flatMap((line) => parsePs(line) ?? [])
  } catch {
    return []
  }
}

const isLinux = process.platform === "linux"

/** Returns all processes. */
export const all = (): ReadonlyArray<Row> =>
  isLinux
    ? readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .flatMap(readStat)
    : ps("-A")

/** Returns a process; `undefined` if it has exited. */
export const find = (pid: number): Row | undefined => (isLinux ? readStat(pid) : ps("-p", String(pid)))[0]

/** Returns the state of a process; `undefined` if it has exited. */
export const stateOf = (pid: number): State | undefined => {
  try {
    return stateIn(isLinux ? readFileSync(`/proc/${pid}/stat`, "latin1") : psText("-p", String(pid), "-o", "stat="))
  } catch {
    return undefined
  }
}

/** A process by its pid and its start time, in the system's format. */
export interface Identity {
  readonly pid: number
  readonly started: string
}

/** Returns whether this process runs; a later process with the same pid is another one. */
export const runs = ({ pid, started }: Identity): boolean => find(pid)?.started === started

/** Sends SIGKILL if this process runs; returns whether it was sent. */
export const kill = (one: Identity): boolean => {
  try {
    return runs(one) && process.kill(one.pid, "SIGKILL")
  } catch {
    return false
  }
}

/** Returns a process identity in a JSON value. */
export const identityIn = (value: unknown): Identity | undefined => {
  if (typeof value !== "object" || value === null || !("pid" in value) || !("started" in value)) return undefined
  const { pid, started } = value
  return typeof pid === "number" && Number.isInteger(pid) && pid > 1 && typeof started === "string"
    ? { pid, started }
    : undefined
}
