/**
 * The daemon's log: one record a line, five files of 5 MiB unless configured otherwise, the oldest dropped. A log that
 * cannot be written never stops the daemon; it goes on without.
 */
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import { appendFileSync, renameSync, statSync, truncateSync } from "node:fs"

/** What a log keeps. */
export interface Limits {
  /** Longest file. */
  readonly bytes: number
  /** Files that are kept, the one that is written included. */
  readonly files: number
}

const limits: Limits = { bytes: 5 * 1024 * 1024, files: 5 }

const turn = (path: string, files: number) => {
  if (files === 1) truncateSync(path)
  for (let index = files - 1; index > 0; index--) {
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
export const append = (path: string, record: string, { bytes, files } = limits): void => {
  const safe = record.replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/g, (character) =>
    character === "\n" ? "\\n" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
  try {
    if (sizeOf(path) + safe.length >= bytes) turn(path, files)
    appendFileSync(path, `${safe}\n`, { mode: 0o600 })
  } catch {
    // A full disk or a lost directory: there is nowhere left to say so.
  }
}

/** How much is kept of what is logged, and from which severity on: `debug`, `info`, `warn` or `error`. */
export interface Options {
  readonly level?: string | undefined
  readonly bytes?: number | undefined
  readonly files?: number | undefined
}

const levels: { readonly [name: string]: LogLevel.LogLevel } = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error"
}

/** Sends everything that is logged to a file, as `time level message fields`. */
export const layer = (path: string, { bytes, files, level = "info" }: Options = {}): Layer.Layer<never> => {
  const kept: Limits = { bytes: bytes ?? limits.bytes, files: files ?? limits.files }
  return Layer.merge(
    Logger.layer([Logger.map(Logger.formatLogFmt, (record) => append(path, record, kept))]),
    Layer.succeed(References.MinimumLogLevel, levels[level] ?? "Info")
  )
}
