/**
 * A file lock that the operating system releases when its process ends, also by SIGKILL.
 *
 * The lock is an exclusive transaction on an empty SQLite database, which works alike on Node, Bun and Deno. No other
 * code may open the file: closing another descriptor of it can release the lock on some systems.
 * Under Deno 2.9 `fs.watch` of its folder releases it too, so the runtime directory is not watched.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { closeSync, openSync } from "node:fs"

/** The lock file cannot be used; this does not mean that another process holds the lock. */
export class LockFailed extends Data.TaggedError("LockFailed")<{ readonly path: string; readonly detail: string }> {
  override get message() {
    return `cannot lock ${this.path}: ${this.detail}`
  }
}

interface Database {
  readonly exec: (sql: string) => void
  readonly close: () => void
}

const openBun = async (path: string): Promise<Database> => {
  const { Database } = await import("bun:sqlite")
  const database = new Database(path, { create: true, readwrite: true })
  return { exec: (sql) => void database.run(sql), close: () => database.close() }
}

const openNode = async (path: string): Promise<Database> => {
  const warn = process.emitWarning
  // Suppresses Node's warning that SQLite is experimental.
  process.emitWarning = () => {}
  const { DatabaseSync } = await import("node:sqlite").finally(() => {
    process.emitWarning = warn
  })
  return new DatabaseSync(path)
}

/** Tries to lock with the SQLite of the runtime, which is loaded only here. */
const tryLock = async (path: string): Promise<Option.Option<Database>> => {
  // Created with mode 0600; SQLite would create it readable by all.
  closeSync(openSync(path, "a", 0o600))
  const database = await (process.versions["bun"] === undefined ? openNode(path) : openBun(path))
  try {
    database.exec("PRAGMA busy_timeout = 0")
    database.exec("BEGIN EXCLUSIVE")
    return Option.some(database)
  } catch (error) {
    database.close()
    if (String(error).includes("locked")) return Option.none()
    throw error
  }
}

/** Takes the lock until the scope ends; returns whether it was free. Does not wait. */
export const acquire = (path: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => tryLock(path),
      catch: (cause) => new LockFailed({ path, detail: String(cause) })
    }),
    (held) => Effect.sync(() => Option.map(held, (database) => database.close()))
  ).pipe(Effect.map(Option.isSome))
