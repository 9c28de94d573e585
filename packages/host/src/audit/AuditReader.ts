/**
 * Reads and checks the audit log, for its owner. The files are read by the client, one at a time.
 */
import { join } from "node:path"
import * as AuditFiles from "./AuditFiles.ts"
import * as AuditLine from "./AuditLine.ts"

/** The lines of a file, and the text after the last line break. */
const linesOf = (path: string): { readonly lines: ReadonlyArray<string>; readonly rest: string } => {
  const lines = AuditFiles.textOf(path).split("\n")
  const rest = lines.pop() ?? ""
  return { lines, rest }
}

/** Returns the newest records that pass a filter, oldest first. Damaged lines are passed over. */
export const newest = (
  directory: string,
  count: number,
  passes: (entry: AuditLine.Entry) => boolean
): ReadonlyArray<AuditLine.Entry> => {
  const found: Array<AuditLine.Entry> = []
  // The record of the result replaces the one that was written while the operation ran.
  const ended = new Set<number>()
  for (const name of AuditFiles.list(directory).toReversed()) {
    for (const text of linesOf(join(directory, name)).lines.toReversed()) {
      if (found.length >= count) return found.toReversed()
      const content = AuditLine.parse(text)?.content
      if (content === undefined || !AuditLine.isEntry(content)) continue
      if (content.call !== undefined) ended.add(content.call)
      if (!ended.has(content.seq) && passes(content)) found.push(content)
    }
  }
  return found.toReversed()
}

/** A line that breaks the chain. `line` counts from 1. */
export interface Broken {
  readonly file: string
  readonly line: number
  readonly problem: string
}

/** The result of a check. `lost` records could not be written; `unfinished` bytes follow the last line. */
export interface Verdict {
  readonly records: number
  /** The time of the first line. */
  readonly first: string | undefined
  readonly lost: number
  readonly unfinished: number
  readonly broken: Broken | undefined
}

/** Checks the whole chain, up to the first line that breaks it. */
export const verify = (directory: string): Verdict => {
  const names = AuditFiles.list(directory)
  let records = 0
  let lost = 0
  let unfinished = 0
  let first: string | undefined
  let before: AuditLine.Line | undefined
  let cut: string | undefined

  /** Takes a line into the chain. Returns why it does not belong there. */
  const take = (text: string, isFirst: boolean, name: string): string | undefined => {
    const line = AuditLine.parse(text)
    if (line === undefined) return "the line is damaged"
    const { content, prev } = line
    if (before === undefined ? content.seq === 1 && prev !== AuditLine.origin : prev !== before.hash) {
      return "the line before it was changed or removed"
    }
    if (before !== undefined && content.seq !== before.content.seq + 1) return "its number does not follow"
    if (isFirst !== "file" in content)
      return isFirst ? "the first lines of the file were removed" : "a file begins here"
    if ("file" in content && content.file !== name) return `it belongs to ${content.file}`
    if ((cut === undefined ? undefined : Buffer.byteLength(cut)) !== ("cut" in content ? content.cut : undefined)) {
      return cut === undefined ? "an incomplete line was removed" : "the line before it is damaged"
    }
    cut = undefined
    before = line
    first ??= content.time
    if (AuditLine.isEntry(content)) records += 1
    if ("lost" in content) lost += content.lost
    return undefined
  }

  for (const [index, name] of names.entries()) {
    const { lines, rest } = linesOf(join(directory, name))
    const isNewest = index === names.length - 1
    // Only the newest file may end without a line break: the daemon completes it before it begins the next one.
    const texts = isNewest && AuditLine.parse(rest) !== undefined ? [...lines, rest] : lines
    for (const [at, text] of texts.entries()) {
      const broken = (problem: string, line = at + 1): Verdict => ({
        records,
        first,
        lost,
        unfinished,
        broken: { file: join(directory, name), line, problem }
      })
      // A killed daemon leaves an incomplete line; the next one says so in the line after it.
      if (cut === undefined && at < texts.length - 1 && AuditLine.parse(text) === undefined) {
        cut = text
        continue
      }
      const problem = take(text, at === 0, name)
      if (problem !== undefined) return cut === undefined ? broken(problem) : broken("the line is damaged", at)
    }
    if (texts !== lines || (rest === "" && (isNewest || lines.length > 0))) continue
    if (!isNewest) {
      const problem = rest === "" ? "the file is empty" : "the line is incomplete"
      const broken = { file: join(directory, name), line: lines.length + 1, problem }
      return { records, first, lost, unfinished, broken }
    }
    unfinished = Buffer.byteLength(rest)
  }
  return { records, first, lost, unfinished, broken: undefined }
}
