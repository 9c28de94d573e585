/**
 * A lock that one process holds and the operating system takes back when that process ends, however it ends.
 *
 * It is a database file in an exclusive transaction: the same on Node, Bun and Deno, and released by kill -9. The file
 * holds nothing, and nobody may open it in another way: closing any other handle can drop the lock on some systems.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { closeSync, openSync } from "node:fs"

/** The lock file cannot be used at all, which is not the same as being held by another. */
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
  // Node announces that its SQLite is experimental; that is no news for the user's terminal.
  process.emitWarning = () => {}
  const { DatabaseSync } = await import("node:sqlite").finally(() => {
    process.emitWarning = warn
  })
  return new DatabaseSync(path)
}

/** With the runtime's own SQLite, loaded only now since most programs never need it. */
const attempt = async (path: string): Promise<Option.Option<Database>> => {
  // Born private; SQLite would make it readable by all.
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

/** Takes the lock for the life of the scope; whether it was free. Does not wait. */
export const acquire = (path: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => attempt(path),
      catch: (cause) => new LockFailed({ path, detail: String(cause) })
    }),
    (held) => Effect.sync(() => Option.map(held, (database) => database.close()))
  ).pipe(Effect.map(Option.isSome))
