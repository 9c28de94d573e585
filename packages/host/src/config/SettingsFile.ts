/**
 * The text of a configuration file: TOML of known keys, and changing one of them so that everything else in it stays.
 *
 * Of TOML this reads tables, dotted keys, strings, numbers, truths and lists of these, which is all that the keys need;
 * anything else in the file is an error with its line.
 */
import { Settings } from "@sigtrap/protocol"
import * as Result from "effect/Result"

/** A value in a file, with the lines it stands on, from 1. */
export interface Written {
  readonly key: string
  readonly value: Settings.Value
  readonly line: number
  readonly last: number
}

const escapes: { readonly [letter: string]: string } = { n: "\n", t: "\t", r: "\r" }

const scalar = (text: string): string | undefined => {
  const basic = /^"((?:[^"\\]|\\["\\ntr])*)"$/.exec(text)?.[1]
  if (basic !== undefined) return basic.replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter)
  return /^'([^']*)'$/.exec(text)?.[1] ?? /^(true|false|\d[\d_]*)$/.exec(text)?.[1]?.replaceAll("_", "")
}

const piece = String.raw`"(?:[^"\\]|\\.)*"|'[^']*'|[^"'#,\[\]\s]+`
const pieces = new RegExp(piece, "gu")
const whole = new RegExp(String.raw`^(?:(${piece})|\[\s*((?:(?:${piece})\s*,\s*)*(?:${piece})?)\s*\])\s*(?:#.*)?$`, "u")

/** What is written behind an equals sign, without its comment. */
const read = (text: string): Settings.Value | undefined => {
  const [, one, several] = whole.exec(text) ?? []
  if (one !== undefined) return scalar(one)
  if (several === undefined) return undefined
  const all = (several.match(pieces) ?? []).map(scalar)
  return all.every((item) => item !== undefined) ? all : undefined
}

/** What is wrong with a value of a key, if anything is. */
export const problem = (key: Settings.Key, value: Settings.Value): string | undefined => {
  if (typeof value !== "string" && key.list !== true) return "write one value, not a list"
  return (typeof value === "string" ? [value] : value).map(key.problem).find((wrong) => wrong !== undefined)
}

const withoutComments = (text: string): string =>
  text.replaceAll(/("(?:[^"\\]|\\.)*"|'[^']*')|#.*/g, (_, quoted?: string) => quoted ?? "")

/** A sentence about a key that does not exist. */
export const unknown = (key: string, near: ReadonlyArray<string>): string =>
  `no key ${key}${near.length === 0 ? "" : `; nearest: ${near.join(", ")}`}`

/** Reads the text of a file; what is wrong with it, one sentence each. */
export const parse = (text: string): Result.Result<ReadonlyArray<Written>, ReadonlyArray<string>> => {
  const problems: Array<string> = []
  const found: Array<Written> = []
  const lines = text.split(/\r?\n/)
  let table = ""
  for (let index = 0; index < lines.length; index++) {
    const line = index + 1
    const content = (lines[index] ?? "").trim()
    if (content === "" || content.startsWith("#")) continue
    const header = /^\[\s*([\w-]+(?:\s*\.\s*[\w-]+)*)\s*\]\s*(?:#.*)?$/.exec(content)?.[1]
    if (header !== undefined) {
      table = `${header.replaceAll(/\s/g, "")}.`
      continue
    }
    const [, name, first = ""] = /^((?:[\w-]+\s*\.\s*)*[\w-]+)\s*=\s*(.*)$/.exec(content) ?? []
    let rest = first
    // A list goes on until it is closed.
    while (rest.startsWith("[") && !withoutComments(rest).includes("]") && index + 1 < lines.length) {
      rest = `${withoutComments(rest)} ${(lines[++index] ?? "").trim()}`
    }
    const value = name === undefined ? undefined : read(rest.trim())
    if (name === undefined || value === undefined) {
      problems.push(
        `line ${line}: expected a key and a string, a number, true or false, or a list of these: ${content.slice(0, 60)}`
      )
      continue
    }
    const key = `${table}${name.replaceAll(/\s/g, "")}`
    const known = Settings.find(key)
    if (Result.isFailure(known)) {
      problems.push(`line ${line}: ${unknown(key, known.failure.near)}`)
      continue
    }
    const wrong = problem(known.success, value)
    if (wrong !== undefined) problems.push(`line ${line}: ${key} = ${String(value)}: ${wrong}`)
    else if (found.some((other) => other.key === key)) problems.push(`line ${line}: ${key} is there twice`)
    else found.push({ key, value, line, last: index + 1 })
  }
  return problems.length > 0 ? Result.fail(problems) : Result.succeed(found)
}

const quoted = (value: string) =>
  `"${value
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t")
    .replaceAll("\r", "\\r")}"`

const literal = (value: Settings.Value) =>
  typeof value === "string" ? quoted(value) : `[${value.map(quoted).join(", ")}]`

/** The text with a key set or, without a value, taken out; comments and all other lines stay. */
export const change = (text: string, key: string, value: Settings.Value | undefined): string => {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n")
  const words = key.split(".")
  const name = words.pop() ?? key
  const table = words.join(".")
  const entry = (as: string) => `${as} = ${literal(value ?? "")}`
  const before = parse(text)
  const known = Result.isSuccess(before) ? before.success.find((other) => other.key === key) : undefined
  if (known !== undefined) {
    // As it was written: under its table, or with dots.
    const as = /^\s*([^=]*?)\s*=/.exec(lines[known.line - 1] ?? "")?.[1] ?? name
    lines.splice(known.line - 1, known.last - known.line + 1, ...(value === undefined ? [] : [entry(as)]))
  } else if (value !== undefined) {
    const header = lines.findIndex((line) => line.trim().replace(/\s*#.*$/, "") === `[${table}]`)
    if (header >= 0) lines.splice(header + 1, 0, entry(name))
    else lines.push(...(lines.length === 0 ? [] : [""]), `[${table}]`, entry(name))
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}

/** A file for a beginning: every key with its built-in value, commented out. */
export const template = (): string => {
  const tables = new Map<string, Array<string>>()
  for (const { description, fallback, key } of Settings.keys) {
    const [table = "", ...rest] = key.split(".")
    const entries = tables.get(table) ?? []
    entries.push(`# ${description}`, `# ${rest.join(".")} = ${literal(fallback ?? "")}`)
    tables.set(table, entries)
  }
  return [...tables].map(([table, entries]) => `[${table}]\n${entries.join("\n")}\n`).join("\n")
}
