/**
 * The daemon's log: one record a line, five files of 5 MiB, the oldest dropped. A log that cannot be written never
 * stops the daemon; it goes on without.
 */
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { appendFileSync, renameSync, statSync } from "node:fs"

const LIMIT = 5 * 1024 * 1024
const FILES = 5

const turn = (path: string) => {
  for (let index = FILES - 1; index > 0; index--) {
    try {
      renameSync(index === 1 ? path : `${path}.${index - 1}`, `${path}.${index}`)
    } catch {
      // That one is not there yet.
    }
  }
}

const sizeOf = (path: string): number => {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

/** Adds a record; what could be taken for a control sequence or for another record is escaped. */
export const append = (path: string, record: string): void => {
  const safe = record.replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/g, (character) =>
    character === "\n" ? "\\n" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
  try {
    if (sizeOf(path) + safe.length >= LIMIT) turn(path)
    appendFileSync(path, `${safe}\n`, { mode: 0o600 })
  } catch {
    // A full disk or a lost directory: there is nowhere left to say so.
  }
}

/** Sends everything that is logged to a file, as `time level message fields`. */
export const layer = (path: string): Layer.Layer<never> =>
  Logger.layer([Logger.map(Logger.formatLogFmt, (record) => append(path, record))])
