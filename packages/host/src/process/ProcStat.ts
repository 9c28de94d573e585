/**
 * Reads the file `stat` of a process in `/proc` (proc_pid_stat(5)). Plain code without Effect, since the supervisor's thread uses it too.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs"
import { isZombie, parseStat, type Row } from "./ProcessRow.ts"

/** The bytes of one file `stat`: 52 numbers and a name of at most 64 bytes. */
const bytes = Buffer.alloc(4096)

/** Returns a thread of the process that has not ended. Threads that a debugger has not awaited are zombies too. */
const runningThread = (pid: number): string | undefined => {
  try {
    return readdirSync(`/proc/${pid}/task`).find(
      (thread) => !isZombie(readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1"))
    )
  } catch {
    return undefined
  }
}

/** The text of the file, and what it says of the process. */
export interface Stat {
  readonly text: string
  readonly row: Row
  /** The folder that describes the process: that of another thread if the main thread has ended, since its own is empty then. */
  readonly folder: string
}

/** Reads the file of a process by one read, since each call checks the program of its session; `undefined` if it has exited. */
export const read = (pid: number | string): Stat | undefined => {
  try {
    const file = openSync(`/proc/${pid}/stat`, "r")
    try {
      const text = bytes.toString("latin1", 0, readSync(file, bytes))
      const row = parseStat(text)
      if (row === undefined) return undefined
      if (row.mainEnded !== true) return { text, row, folder: `/proc/${row.pid}` }
      const thread = runningThread(row.pid)
      return thread === undefined ? undefined : { text, row, folder: `/proc/${row.pid}/task/${thread}` }
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}
