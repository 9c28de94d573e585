/**
 * The record of the process that holds the daemon's lock, so that a client can end it when it does not answer. Only the
 * lock decides which daemon runs. The record is a file beside the lock because no other code may open the lock's file. A
 * record is believed only if the process with its pid has its start time. Plain code without Effect.
 */
import { renameSync, rmSync, writeFileSync } from "node:fs"
import * as ProcessTable from "../../process/ProcessTable.ts"
import * as RecordedPrograms from "../supervisor/RecordedPrograms.ts"

/** The holder of the lock: its process, version, and start as milliseconds since 1970. */
export interface Holder extends ProcessTable.Identity {
  readonly version: string
  readonly started_at: number
}

/** Writes the record of this process; returns it, or `undefined` if it cannot be written. */
export const write = (path: string, version: string, startedAt: number): Holder | undefined => {
  const self = ProcessTable.find(process.pid)
  if (self === undefined) return undefined
  const holder: Holder = { pid: self.pid, started: self.started, version, started_at: startedAt }
  const draft = `${path}.${self.pid}`
  try {
    rmSync(draft, { force: true })
    writeFileSync(draft, JSON.stringify(holder), { mode: 0o600, flag: "wx" })
    renameSync(draft, path)
    return holder
  } catch {
    // The disk is full: only a forced stop without the supervisor needs the record.
    return undefined
  }
}

/** Returns the holder if its process runs. */
export const read = (path: string): Holder | undefined => {
  const value = RecordedPrograms.readJson(path)
  const identity = ProcessTable.identityIn(value)
  if (identity === undefined || !ProcessTable.runs(identity)) return undefined
  const { started_at, version } = Object(value)
  return { ...identity, version: String(version), started_at: Number(started_at) }
}

/** Removes the record if it is that of this process. */
export const remove = (path: string): void => {
  if (ProcessTable.identityIn(RecordedPrograms.readJson(path))?.pid === process.pid) rmSync(path, { force: true })
}
