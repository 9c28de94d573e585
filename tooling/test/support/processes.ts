/** What the kernel says of a process. */
import { readFileSync } from "node:fs"

/** Returns the state (`R`, `T`, `Z` …) and the pid of the tracer of a process; undefined if there is none. */
export const standing = (pid: number): { readonly state: string; readonly tracer: string } | undefined => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    const field = (pattern: RegExp) => pattern.exec(status)?.[1] ?? ""
    return { state: field(/^State:\s+(\w)/m), tracer: field(/^TracerPid:\s+(\d+)/m) }
  } catch {
    return undefined
  }
}

/** Whether a process has ended; a zombie has. */
export const isOver = (pid: number): boolean => ["Z", "X", undefined].includes(standing(pid)?.state)
