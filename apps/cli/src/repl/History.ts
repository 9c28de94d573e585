/**
 * The lines of earlier prompts: a file of the user with mode 0600, of which the newest lines are kept. A line that may hold a
 * secret is not written.
 */
import { Directories } from "@sigtrap/host"
import { SecretNames, SecretShapes } from "@sigtrap/protocol"
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Most lines of a history. */
export const limit = 1000

/** The longest line that is kept, in characters. */
const longest = 1000

/** True for a line with the name of a secret, which it may assign. */
const namesSecret = SecretNames.finder([])

/** Returns the file of the history: below the user's state directory. */
export const fileOf = (environment: { readonly [name: string]: string | undefined }): string | undefined => {
  const { HOME: home = "", XDG_STATE_HOME: state = "" } = environment
  if (state.startsWith("/")) return join(state, "sigtrap", "history")
  return home.startsWith("/") ? join(home, ".local", "state", "sigtrap", "history") : undefined
}

/** True if a line can be kept: not empty, not long, without a blank at its start, without what may be a secret. */
export const isKept = (line: string): boolean =>
  line !== "" && line.length <= longest && !/^\s/.test(line) && !namesSecret(line) && SecretShapes.mask(line) === line

/** Returns the lines of the file, the oldest first; none if it cannot be read. */
export const read = (file: string | undefined): ReadonlyArray<string> => {
  if (file === undefined) return []
  try {
    const lines = readFileSync(file, "utf8").split("\n")
    return lines.filter(isKept).slice(-limit)
  } catch {
    return []
  }
}

/** Adds a line to the file. Another prompt may have added lines meanwhile. A file that cannot be written stays as it is. */
export const add = (file: string | undefined, line: string): void => {
  if (file === undefined || !isKept(line)) return
  const known = read(file)
  if (known.at(-1) === line) return
  try {
    Directories.make(dirname(file), 0o700)
    const next = `${file}.${process.pid}`
    writeFileSync(next, [...known, line, ""].slice(-limit - 1).join("\n"), { mode: 0o600 })
    chmodSync(next, 0o600)
    renameSync(next, file)
  } catch {
    // The prompt works without a history.
  }
}
