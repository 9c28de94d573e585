/** Creates directories. */
import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code

const makeOne = (path: string, mode: number): void => {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (!isCode(error, "EEXIST") || !statSync(path).isDirectory()) throw error
  }
}

/**
 * Creates a directory and those above it that are missing; throws the error of the system. The recursive `mkdirSync` of Node does not
 * end where a file system refuses a new directory with ENOENT, such as `/proc`.
 */
export const make = (path: string, mode = 0o777): void => {
  try {
    makeOne(path, mode)
  } catch (error) {
    if (!isCode(error, "ENOENT") || dirname(path) === path) throw error
    make(dirname(path), mode)
    makeOne(path, mode)
  }
}
