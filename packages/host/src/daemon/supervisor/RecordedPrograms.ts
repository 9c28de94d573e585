/**
 * Ends the programs of all sessions by their records, when the daemon cannot. Plain code without Effect: it runs in the
 * supervisor's thread, or in a client if there is no supervisor.
 *
 * A launched program is killed before its adapter, and with it every process below the adapter. An attached program and its
 * adapter are left: a signal to the adapter would kill a program at a breakpoint, whereas the adapter detaches when the
 * daemon's end closes its input. The records stay, so that the next daemon lists the sessions as lost.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { descendants, type Row } from "../../process/ProcessRow.ts"
import * as ProcessTable from "../../process/ProcessTable.ts"

/** Maximum size of a record, in bytes. */
const LIMIT = 1_048_576

/** The programs of a daemon that was ended by force: names of sessions with the pids of their programs. */
export interface Report {
  /** Launched programs, which were killed. */
  readonly ended: ReadonlyArray<SessionProgram>
  /** Attached programs, which keep running. */
  readonly left: ReadonlyArray<SessionProgram>
}

/** A session and its program; no pid if the program was not known. */
interface SessionProgram {
  readonly session: string
  readonly pid?: number
}

interface Entry {
  readonly name: string
  readonly launched: boolean
  /** An adapter without a session. */
  readonly isPrestarted: boolean
  readonly adapter: ProcessTable.Identity | undefined
  readonly debuggee: ProcessTable.Identity | undefined
}

/** Reads a private JSON file of the runtime directory; `undefined` if it is not one. */
export const readJson = (path: string): unknown => {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const facts = fstatSync(descriptor)
      if (!facts.isFile() || facts.size > LIMIT || facts.uid !== process.geteuid?.()) return undefined
      return JSON.parse(readFileSync(descriptor, "utf8"))
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

const entryIn = (value: unknown): ReadonlyArray<Entry> => {
  if (typeof value !== "object" || value === null || !("name" in value) || !("launched" in value)) return []
  const { launched, name } = value
  if (typeof name !== "string" || typeof launched !== "boolean") return []
  return [
    {
      name,
      launched,
      isPrestarted: "prestarted" in value && value.prestarted === true,
      adapter: ProcessTable.identityIn("adapter" in value ? value.adapter : undefined),
      debuggee: ProcessTable.identityIn("debuggee" in value ? value.debuggee : undefined)
    }
  ]
}

const entries = (sessions: string): ReadonlyArray<Entry> => {
  try {
    return readdirSync(sessions)
      .filter((file) => file.endsWith(".json"))
      .flatMap((file) => entryIn(readJson(join(sessions, file))))
  } catch {
    return []
  }
}

const isIn = (rows: ReadonlyArray<Row>, one: ProcessTable.Identity) =>
  rows.some(({ pid, started }) => pid === one.pid && started === one.started)

/** Kills the launched programs and their adapters; `sessions` is the folder of the records. */
export const end = (sessions: string): Report => {
  const found = entries(sessions)
  const rows = found.length === 0 ? [] : ProcessTable.all()
  const programOf = ({ debuggee, name }: Entry): SessionProgram => ({
    session: name,
    ...(debuggee === undefined ? {} : { pid: debuggee.pid })
  })
  const launched = found.filter((entry) => entry.launched)
  for (const { adapter, debuggee } of launched) {
    const below = adapter !== undefined && isIn(rows, adapter) ? descendants(rows, adapter.pid) : []
    if (debuggee !== undefined) ProcessTable.kill(debuggee)
    if (adapter !== undefined) ProcessTable.kill(adapter)
    for (const one of below) ProcessTable.kill(one)
  }
  return {
    ended: launched.filter((entry) => !entry.isPrestarted).map(programOf),
    left: found.filter((entry) => !entry.launched).map(programOf)
  }
}
