/**
 * Edits TOML text: replaces or adds one part and keeps every other line as it is written, comments included.
 *
 * smol-toml reads values but not their positions, so keys and tables are located line by line. A change is parsed again
 * before it is accepted: one that alters anything else is refused.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { parse as parseToml, TomlDate, TomlError } from "smol-toml"
import * as TomlOutline from "./TomlOutline.ts"

/** A key with its lines, from 1: from its name to the end of its value. */
export interface Entry {
  /** The dotted key, the name of its table included. */
  readonly key: string
  readonly line: number
  readonly last: number
}

/** A table's header. */
interface Header {
  readonly table: string
  /** From 1. */
  readonly line: number
}

/** Parses a document; the failure is one sentence with line and column. */
export const parse = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => parseToml(text, { unsafeKeyBehaviour: "throw" }),
    catch: (error) => {
      if (!(error instanceof TomlError)) return String(error)
      const [problem = ""] = error.message.split("\n")
      return `line ${error.line}, column ${error.column}: ${problem.replace("Invalid TOML document: ", "")}`
    }
  })

const name = String.raw`(?:[\w-]+|"[^"\n]*"|'[^'\n]*')`
const names = `${name}(?:\\s*\\.\\s*${name})*`

const dotted = (words: string): string =>
  (words.match(new RegExp(name, "gu")) ?? []).map((word) => word.replace(/^["'](.*)["']$/, "$1")).join(".")

const header = new RegExp(`^\\s*\\[\\[?\\s*(${names})\\s*\\]\\]?\\s*(?:#.*)?$`, "u")
const assignment = new RegExp(`^\\s*(${names})\\s*=`, "u")

/** Returns the dotted name of the table whose header a line is. */
export const tableOf = (line: string): string | undefined => {
  const words = header.exec(line)?.[1]
  return words === undefined ? undefined : dotted(words)
}

/** Locates the headers and keys of a text that `parse` accepts. */
const scan = (text: string): { readonly headers: ReadonlyArray<Header>; readonly entries: ReadonlyArray<Entry> } => {
  const lines = text.split(/\r?\n/)
  // A line of the outline has several lines of the text if it has a string of several lines.
  const outline = TomlOutline.make(text).split("\n")
  const height = (at: number) => (outline[at] ?? "").split(TomlOutline.innerBreak).length
  const headers: Array<Header> = []
  const entries: Array<Entry> = []
  for (let at = 0, line = 1; at < outline.length; line += height(at), at++) {
    const content = lines[line - 1] ?? ""
    const table = tableOf(content)
    if (table !== undefined) headers.push({ table, line })
    const key = table === undefined ? assignment.exec(content)?.[1] : undefined
    if (key === undefined) continue
    const first = line
    for (let rest = TomlOutline.linesOfValue(outline, at) - 1; rest > 0; rest--, at++) line += height(at)
    const parent = headers.at(-1)?.table
    const whole = parent === undefined ? dotted(key) : `${parent}.${dotted(key)}`
    entries.push({ key: whole, line: first, last: line + height(at) - 1 })
  }
  return { headers, entries }
}

/** Locates the keys of a text that `parse` accepts. */
export const entries = (text: string): ReadonlyArray<Entry> => scan(text).entries

/** Lists the values of a parsed document that are not tables, by dotted key. A table for which `isWhole` is true is one value. */
export const leaves = (
  value: unknown,
  isWhole: (key: string) => boolean = () => false,
  key = ""
): ReadonlyArray<readonly [key: string, value: unknown]> =>
  Predicate.isReadonlyObject(value) && !Array.isArray(value) && !(value instanceof TomlDate) && !isWhole(key)
    ? Object.entries(value).flatMap(([word, inner]) => leaves(inner, isWhole, key === "" ? word : `${key}.${word}`))
    : [[key, value]]

const quoted = (value: string) =>
  `"${value
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t")
    .replaceAll("\r", "\\r")}"`

/** A value that `literal` can write. */
export type Value = string | number | boolean | ReadonlyArray<Value>

/** Writes a value as TOML. */
export const literal = (value: Value): string =>
  typeof value === "string"
    ? quoted(value)
    : typeof value === "object"
      ? `[${value.map(literal).join(", ")}]`
      : String(value)

/** The fields of a table. */
export interface Fields {
  readonly [key: string]: Value
}

/** Writes a table with its header, without a line break at the end. */
export const table = (path: ReadonlyArray<string>, fields: Fields): string =>
  [`[${path.join(".")}]`, ...Object.entries(fields).map(([key, value]) => `${key} = ${literal(value)}`)].join("\n")

const isWithin = (key: string, parent: string) => key === parent || key.startsWith(`${parent}.`)

/** Returns the lines of a table and of its adjacent sub-tables, from 1, without comments after the last key. */
const linesOf = (text: string, path: string): { readonly line: number; readonly last: number } | undefined => {
  const { entries, headers } = scan(text)
  const first = headers.findIndex((each) => isWithin(each.table, path))
  const line = headers[first]?.line
  if (line === undefined) return undefined
  const next = headers.slice(first).find((each) => !isWithin(each.table, path))?.line ?? Number.POSITIVE_INFINITY
  const inside = [...headers.map((each) => each.line), ...entries.map((each) => each.last)]
  return { line, last: Math.max(...inside.filter((each) => each >= line && each < next)) }
}

/** Returns the text of a table and its sub-tables, if the document has it under a header. */
export const findTable = (text: string, path: ReadonlyArray<string>): string | undefined => {
  const found = linesOf(text, path.join("."))
  return found === undefined
    ? undefined
    : text
        .split("\n")
        .slice(found.line - 1, found.last)
        .join("\n")
}

/** Lists the leaves as texts, for comparison. */
const compared = (all: ReturnType<typeof leaves>) => all.map((leaf) => JSON.stringify(leaf)).toSorted()

/**
 * Replaces a table with its sub-tables, or adds it at the end. Fails with a sentence when the text is not TOML, or when it
 * has the table in another form (inline, dotted keys) that this editor cannot change.
 */
export const setTable = (
  text: string,
  path: readonly [string, ...ReadonlyArray<string>],
  fields: Fields
): Result.Result<string, string> => {
  const before = parse(text)
  if (Result.isFailure(before)) return Result.fail(before.failure)
  const key = path.join(".")
  const place = linesOf(text, key)
  const lines = text.split("\n")
  const kept = text.trimEnd()
  const next =
    place === undefined
      ? `${kept}${kept === "" ? "" : "\n\n"}${table(path, fields)}\n`
      : [...lines.slice(0, place.line - 1), table(path, fields), ...lines.slice(place.last)].join("\n")
  const after = parse(next)
  const expected = [
    ...leaves(before.success).filter(([leaf]) => !isWithin(leaf, key)),
    ...leaves(fields, undefined, key)
  ]
  const isRight =
    Result.isSuccess(after) && compared(leaves(after.success)).join("\n") === compared(expected).join("\n")
  return isRight
    ? Result.succeed(next)
    : Result.fail(`the ${path[0]} table is in a form this tool cannot edit; edit it by hand`)
}
