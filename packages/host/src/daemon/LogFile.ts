/**
 * The daemon's log: one record per line, rotated, by default five files of 5 MiB. The daemon keeps running if the log
 * cannot be written.
 */
import { SecretShapes } from "@sigtrap/protocol"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import { appendFileSync, renameSync, statSync, truncateSync } from "node:fs"

/** The size of a log. */
export interface Limits {
  /** Maximum size of a file. */
  readonly bytes: number
  /** Number of files, the current one included. */
  readonly files: number
}

const limits: Limits = { bytes: 5 * 1024 * 1024, files: 5 }

const rotate = (path: string, files: number) => {
  if (files === 1) truncateSync(path)
  for (let index = files - 1; index > 0; index--) {
    try {
      renameSync(index === 1 ? path : `${path}.${index - 1}`, `${path}.${index}`)
    } catch {
      // This file does not exist yet.
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

/** Appends a record; secrets in it are masked by their shape, control characters and line breaks are escaped. */
export const append = (path: string, record: string, { bytes, files } = limits): void => {
  const safe = SecretShapes.mask(record).replaceAll(
    /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => (character === "\n" ? "\\n" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
  )
  try {
    if (sizeOf(path) + safe.length >= bytes) rotate(path, files)
    appendFileSync(path, `${safe}\n`, { mode: 0o600 })
  } catch {
    // The disk is full or the directory was removed: there is no place to report it.
  }
}

/** The size of a log and its lowest level: `debug`, `info`, `warn` or `error`. */
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

/** Writes log messages to a file, as `time level message fields`. */
export const layer = (path: string, { bytes, files, level = "info" }: Options = {}): Layer.Layer<never> => {
  const kept: Limits = { bytes: bytes ?? limits.bytes, files: files ?? limits.files }
  return Layer.merge(
    Logger.layer([Logger.map(Logger.formatLogFmt, (record) => append(path, record, kept))]),
    Layer.succeed(References.MinimumLogLevel, levels[level] ?? "Info")
  )
}
