/**
 * Starts the daemon as a detached process. Plain code without Effect, since the thin client uses it too. Several daemons may be started
 * at the same time: one gets the lock, the others exit with code 0.
 */
import { spawn } from "node:child_process"
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from "node:fs"
import type { Command } from "./Executable.ts"
import { VARIABLE, type Place } from "../../runtime/RuntimePath.ts"

export type { Command } from "./Executable.ts"

/** A started daemon. */
export interface Started {
  /** Resolves to the exit code, the signal, or the reason why it could not be started. */
  readonly ended: Promise<number | string>
}

/** Starts a daemon that outlives this process; its output goes to the log. */
export const start = (command: Command, place: Place): Started => {
  const log = openSync(place.log, "a", 0o600)
  const child = spawn(command.program, [...command.args, "daemon", "run"], {
    detached: true,
    cwd: "/",
    stdio: ["ignore", log, log],
    env: { ...process.env, [VARIABLE]: place.directory }
  })
  closeSync(log)
  child.unref()
  return {
    ended: new Promise((resolve) => {
      child.once("error", (error) => resolve(error.message))
      child.once("exit", (code, signal) => resolve(code ?? signal ?? "unknown"))
    })
  }
}

/** Returns the last lines of a log, oldest first; none if there is no log. Reads at most `limit` bytes. */
export const tail = (log: string, lines: number, limit = 64 * 1024): ReadonlyArray<string> => {
  try {
    const descriptor = openSync(log, "r")
    try {
      const { size } = fstatSync(descriptor)
      const bytes = new Uint8Array(Math.min(size, limit))
      readSync(descriptor, bytes, 0, bytes.length, size - bytes.length)
      return new TextDecoder()
        .decode(bytes)
        .split("\n")
        .filter((line) => line !== "")
        .slice(-lines)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return []
  }
}

/** Returns why nothing can be written to a log, such as ENOSPC; appends an empty line otherwise. */
const writeProblem = (log: string): string | undefined => {
  try {
    appendFileSync(log, "\n")
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Returns the last lines of the log as the end of an error message; empty if the log is. If nothing can be written to it, the
 * lines are of an earlier daemon, and the reason is the answer.
 */
export const logTail = (log: string): string => {
  const problem = writeProblem(log)
  if (problem !== undefined) return `; its log ${log} cannot be written: ${problem}`
  const lines = tail(log, 5, 4096)
  return lines.length === 0 ? "" : `; the end of its log:\n${lines.join("\n")}`
}
