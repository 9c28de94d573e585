/**
 * A file of record lines, private to the user.
 *
 * It is opened for each write, so that a removed file or directory is noticed. A write that does not succeed as a whole is
 * taken back. Replacing the file writes a draft and renames it; no draft remains after a failure.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync
} from "node:fs"
import { dirname } from "node:path"

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

/** The end of the name of a draft. */
export const draftSuffix = ".draft"

/** Writes text to a file; used by tests to make writes fail. Returns the number of written bytes. */
export type Write = (descriptor: number, bytes: Uint8Array) => number

/** Writes whole texts to one file. Every method throws the error of the system. */
export class RecordFile {
  readonly path: string
  readonly #write: Write

  constructor(path: string, write: Write = writeSync) {
    this.path = path
    this.#write = write
  }

  /** Writes all bytes, or takes back what was written. */
  #writeAll(descriptor: number, text: string): void {
    const bytes = new TextEncoder().encode(text)
    const before = fstatSync(descriptor).size
    let written = 0
    try {
      while (written < bytes.length) written += this.#write(descriptor, bytes.subarray(written))
    } catch (error) {
      ftruncateSync(descriptor, before)
      throw error
    }
  }

  /** Appends to the file and returns its size in bytes. Fails if the file does not exist. */
  append(text: string): number {
    const descriptor = openSync(this.path, O_WRONLY | O_APPEND | O_NOFOLLOW)
    try {
      this.#writeAll(descriptor, text)
      return fstatSync(descriptor).size
    } finally {
      closeSync(descriptor)
    }
  }

  /** Replaces the file, and creates its directory if that is missing. Directories above it are not created. */
  replace(text: string): void {
    const directory = dirname(this.path)
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 })
    const draft = `${this.path}${draftSuffix}`
    rmSync(draft, { force: true })
    try {
      const descriptor = openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
      try {
        this.#writeAll(descriptor, text)
      } finally {
        closeSync(descriptor)
      }
      renameSync(draft, this.path)
    } catch (error) {
      rmSync(draft, { force: true })
      throw error
    }
  }

  /** Removes the file, if it exists. */
  remove(): void {
    rmSync(this.path, { force: true })
  }
}
