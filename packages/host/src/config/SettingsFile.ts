/**
 * Parses the text of a configuration file, TOML with known keys, and changes one key without touching other lines.
 *
 * The values come from a TOML parser, which returns no positions; `TomlText` finds the lines of a key. A changed text is
 * parsed again before it is accepted.
 */
import { AdapterSettings, Settings } from "@sigtrap/protocol"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as TomlOutline from "./TomlOutline.ts"
import * as TomlText from "./TomlText.ts"

/** A value in a file, with its first and last line, from 1. */
export interface Written {
  readonly key: string
  readonly value: Settings.Value
  readonly line: number
  readonly last: number
}

/** Characters of a value that a message quotes. */
const QUOTED = 200

/** Returns what is wrong with a value of a key, if anything. */
export const problem = (key: Settings.Key, value: Settings.Value): string | undefined => {
  if ((typeof value === "string" ? [value] : value).some((one) => one.length > TomlOutline.longestValue)) {
    return `a value has at most ${TomlOutline.longestValue} characters`
  }
  if (typeof value !== "string" && key.list !== true) return "write one value, not a list"
  return (typeof value === "string" ? [value] : value).map(key.problem).find((wrong) => wrong !== undefined)
}

/** Returns the message about an unknown key. */
export const unknown = (key: string, near: ReadonlyArray<string>): string =>
  `no key ${key}${near.length === 0 ? "" : `; nearest: ${near.join(", ")}`}`

const scalar = (value: unknown): string | undefined =>
  Predicate.isString(value)
    ? value
    : Predicate.isNumber(value) || Predicate.isBigInt(value) || Predicate.isBoolean(value)
      ? String(value)
      : undefined

const valueOf = (key: string, value: unknown): Settings.Value | undefined => {
  if (isJson(key) && !Predicate.isString(value)) return jsonText(value)
  if (!Array.isArray(value)) return scalar(value)
  const all = value.map(scalar)
  return all.every((item) => item !== undefined) ? all : undefined
}

/** Finds the entry of a key: its own, the one whose inline table contains it, or the first of the table that it is. */
const entryOf = (entries: ReadonlyArray<TomlText.Entry>, key: string): TomlText.Entry | undefined =>
  entries.find((entry) => entry.key === key) ??
  entries.find((entry) => key.startsWith(`${entry.key}.`)) ??
  entries.find((entry) => entry.key.startsWith(`${key}.`))

/** True for a key whose value is a JSON object, for which a file may have a table. */
const isJson = (key: string): boolean => {
  const known = Settings.find(key)
  return Result.isSuccess(known) && known.success.json === true
}

/** Returns a table as the text of a JSON object; undefined if JSON has no such value: a date, a number of 64 bits. */
const jsonText = (value: unknown): string | undefined => {
  const text = Result.try(() => JSON.stringify(value))
  return Result.isSuccess(text) && !hasDate(value) ? text.success : undefined
}

const hasDate = (value: unknown): boolean =>
  value instanceof Date || (Predicate.isObjectKeyword(value) && Object.values(value).some(hasDate))

/** Parses the text of a file; the failure has one sentence for each mistake. */
export const parse = (text: string): Result.Result<ReadonlyArray<Written>, ReadonlyArray<string>> => {
  if (text === "") return Result.succeed([])
  const over = TomlOutline.excess(TomlOutline.make(text))
  if (over !== undefined) return Result.fail([over])
  const document = TomlText.parse(text)
  if (Result.isFailure(document)) return Result.fail([document.failure])
  const entries = TomlText.entries(text)
  const problems: Array<string> = []
  const found: Array<Written> = []
  for (const [key, inner] of TomlText.leaves(document.success, isJson)) {
    const { last, line } = entryOf(entries, key) ?? { line: 1, last: 1 }
    const known = Settings.find(key)
    if (Result.isFailure(known)) {
      problems.push(`line ${line}: ${unknown(key, known.failure.near)}`)
      continue
    }
    const value = valueOf(key, inner)
    const wrong =
      value === undefined
        ? "expected a string, a number, true or false, or a list of these"
        : problem(known.success, value)
    if (value === undefined) problems.push(`line ${line}: ${key}: ${wrong ?? ""}`)
    else if (wrong !== undefined) problems.push(`line ${line}: ${key} = ${String(value).slice(0, QUOTED)}: ${wrong}`)
    else found.push({ key, value, line, last })
  }
  return problems.length > 0 ? Result.fail(problems) : Result.succeed(found.toSorted((a, b) => a.line - b.line))
}

/** Returns one sentence for each value that does not fit to others of the same file. */
export const conflicts = (written: ReadonlyArray<Written>): ReadonlyArray<string> =>
  AdapterSettings.misfits(Object.fromEntries(written.map(({ key, value }) => [key, value]))).map(({ key, problem }) => {
    const line = written.find((one) => one.key === key)?.line ?? 1
    return `line ${line}: ${key}: ${problem}`
  })

/** Returns the key in a line, as written. */
const nameIn = (line = "") => /^\s*([^=]*?)\s*=/.exec(line)?.[1]

const edited = (text: string, key: string, value: Settings.Value | undefined): string => {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n")
  const words = key.split(".")
  const last = words.pop() ?? key
  const table = words.join(".")
  const entry = (as: string) => `${as} = ${TomlText.literal(value ?? "")}`
  const known = TomlText.entries(text).find((other) => other.key === key)
  if (known !== undefined) {
    // Keeps the spelling of the key: bare under its table, or dotted.
    const as = nameIn(lines[known.line - 1]) ?? last
    lines.splice(known.line - 1, known.last - known.line + 1, ...(value === undefined ? [] : [entry(as)]))
  } else if (value !== undefined) {
    const place = lines.findIndex((line) => TomlText.tableOf(line) === table)
    const beside = TomlText.entries(text).findLast((other) => other.key.startsWith(`${table}.`))
    const written = nameIn(lines[(beside?.line ?? 0) - 1])
    const tail = beside?.key.slice(table.length + 1) ?? ""
    if (place >= 0) lines.splice(place + 1, 0, entry(last))
    // A table that is defined by dotted keys cannot have a header as well.
    else if (beside !== undefined && written?.endsWith(tail) === true) {
      lines.splice(beside.last, 0, entry(`${written.slice(0, -tail.length)}${last}`))
    } else lines.push(...(lines.length === 0 ? [] : [""]), `[${table}]`, entry(last))
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}

/**
 * Sets a key, or removes it if there is no value; comments and all other lines stay. Fails if the key cannot be changed
 * alone, as in an inline table.
 */
export const change = (text: string, key: string, value: Settings.Value | undefined): Result.Result<string, string> => {
  const next = edited(text, key, value)
  const of = (content: string) =>
    Result.getOrElse(
      Result.map(parse(content), (all) =>
        all.filter((other) => other.key !== key).map(({ key: name, value: at }) => [name, at])
      ),
      () => undefined
    )
  const now = parse(next)
  const read = Result.isSuccess(now) ? now.success.find((other) => other.key === key)?.value : undefined
  const isRight =
    Result.isSuccess(now) &&
    JSON.stringify(read) === JSON.stringify(value) &&
    JSON.stringify(of(next)?.toSorted()) === JSON.stringify(of(text)?.toSorted())
  if (isRight) return Result.succeed(next)
  const line = entryOf(TomlText.entries(text), key)?.line
  return Result.fail(
    `${key} cannot be changed without changing other parts of the file${line === undefined ? "" : `; it is in line ${line}`}`
  )
}

/** Returns a new file: every key with its default, commented out. */
export const template = (): string => {
  const tables = new Map<string, Array<string>>()
  for (const { description, fallback, key } of Settings.keys) {
    const [table = "", ...rest] = key.split(".")
    const entries = tables.get(table) ?? []
    entries.push(`# ${description}`, `# ${rest.join(".")} = ${TomlText.literal(fallback ?? "")}`)
    tables.set(table, entries)
  }
  return [...tables].map(([table, entries]) => `[${table}]\n${entries.join("\n")}\n`).join("\n")
}
