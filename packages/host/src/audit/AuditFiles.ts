/**
 * The files of the audit log: one for each day (UTC) and 16 MiB, named `2026-11-22.jsonl`, `2026-11-22.2.jsonl`.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Directories from "../runtime/Directories.ts"
import * as AuditLine from "./AuditLine.ts"

/** The size of the log. */
export interface Limits {
  /** Days for which a file is kept. */
  readonly days: number
  /** Maximum size of a file, in bytes; one batch may exceed it. */
  readonly fileBytes: number
  /** Maximum size of all files, in bytes. The oldest are removed first. */
  readonly bytes: number
}

/** 30 days, 16 MiB in a file, 256 MiB in all. */
export const limits: Limits = { days: 30, fileBytes: 16 * 1024 * 1024, bytes: 256 * 1024 * 1024 }

/** Where the next line is appended. */
export interface End {
  /** The file; absent if there is none. */
  readonly file: string | undefined
  readonly size: number
  /** The last whole line. */
  readonly seq: number
  readonly hash: string
  /** Bytes after the last line break; 0 if the file ends with a line. */
  readonly cut: number
  /** True if those bytes are a whole line without its line break. */
  readonly complete: boolean
}

const shape = /^(\d{4}-\d{2}-\d{2})(?:\.(\d{1,6}))?\.jsonl$/

const orderOf = (name: string): readonly [day: string, part: number] => {
  const [, day = "", part = "1"] = shape.exec(name) ?? []
  return [day, Number(part)]
}

/** Returns the names of the files, oldest first. */
export const list = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
      .filter((name) => shape.test(name))
      .toSorted((a, b) => {
        const [[dayA, partA], [dayB, partB]] = [orderOf(a), orderOf(b)]
        return dayA === dayB ? partA - partB : dayA < dayB ? -1 : 1
      })
  } catch {
    return []
  }
}

const sizeOf = (path: string): number => {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

/** Returns the file for a line of a day: the newest, or a new one after it. A clock that goes back begins no new file. */
export const next = (newest: string | undefined, size: number, day: string, { fileBytes }: Limits): string => {
  if (newest === undefined) return `${day}.jsonl`
  const [newestDay, part] = orderOf(newest)
  if (day > newestDay) return `${day}.jsonl`
  return size < fileBytes ? newest : `${newestDay}.${part + 1}.jsonl`
}

/** Bytes at the end of a file in which the last line is searched. */
const maxTail = 1024 * 1024

/** Maximum size of a file that is read, in bytes. */
const maxRead = 64 * 1024 * 1024

/** Returns the end of a file, at most `most` bytes. Waits for no pipe and follows no link; anything but a file is empty. */
export const textOf = (path: string, most = maxRead): string => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const facts = fstatSync(descriptor)
    const size = facts.isFile() ? facts.size : 0
    const bytes = Buffer.alloc(Math.min(size, most))
    const length = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length)
    return bytes.subarray(0, length).toString("utf8")
  } finally {
    closeSync(descriptor)
  }
}

/** Reads where the log ends. Damaged lines are passed over; `verify` reports them. */
export const end = (directory: string): End => {
  const names = list(directory)
  const newest = names.at(-1)
  let cut = 0
  let complete = false
  for (const name of names.toReversed()) {
    const lines = textOf(join(directory, name), maxTail).split("\n")
    const rest = lines.pop() ?? ""
    if (name === newest) cut = Buffer.byteLength(rest)
    const whole = name === newest ? AuditLine.parse(rest) : undefined
    const found =
      whole ?? lines.reduceRight<AuditLine.Line | undefined>((line, text) => line ?? AuditLine.parse(text), undefined)
    complete ||= whole !== undefined
    if (found === undefined) continue
    const { content, hash } = found
    return { file: newest, size: sizeOf(join(directory, newest ?? "")), seq: content.seq, hash, cut, complete }
  }
  const size = newest === undefined ? 0 : sizeOf(join(directory, newest))
  return { file: newest, size, seq: 0, hash: AuditLine.origin, cut, complete }
}

/** Creates the directory with mode 0700. Fails if it is a link or another user's. */
export const prepare = (directory: string): void => {
  Directories.make(directory, 0o700)
  const { mode, uid } = lstatSync(directory)
  if ((mode & constants.S_IFMT) !== constants.S_IFDIR || uid !== (process.geteuid?.() ?? uid)) {
    throw new Error(`${directory} is not a directory of this user`)
  }
}

/** Opens a file for appending; it is created with mode 0600. A link is refused. */
export const open = (path: string): number =>
  openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)

/** Removes files that are too old, and the oldest until the others fit. The newest stays. */
export const prune = (directory: string, today: string, { bytes, days }: Limits): void => {
  const oldest = new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10)
  let kept = 0
  for (const [index, name] of list(directory).toReversed().entries()) {
    const path = join(directory, name)
    kept += sizeOf(path)
    if (index > 0 && (orderOf(name)[0] < oldest || kept > bytes)) rmSync(path, { force: true })
  }
}
