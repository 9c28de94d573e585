/**
 * JSON as people write it into settings: with comments and commas at the end. Reads it, and sets one value in it while
 * everything else stays as it was written, comments and indentation included.
 */
import { Predicate } from "effect"

interface Member {
  readonly key: string
  readonly from: number
  readonly to: number
  readonly value: unknown
}

interface Parsed {
  readonly value: unknown
  /** Where the value ends. */
  readonly to: number
  /** The members of an object, by where their values stand. */
  readonly members: ReadonlyArray<Member>
  /** Where the last thing in an object ends, a comma included; its opening brace when there is nothing. */
  readonly last: number
  readonly comma: boolean
}

class Malformed extends Error {}

const skip = (text: string, at: number): number => {
  const blank = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/|\ufeff)*/y
  blank.lastIndex = at
  return at + (blank.exec(text)?.[0].length ?? 0)
}

const wrong = (text: string, at: number): never => {
  throw new Malformed(`line ${text.slice(0, at).split("\n").length} is not JSON`)
}

const scalar = (text: string, from: number): Parsed => {
  const token = /"(?:[^"\\\n]|\\.)*"|-?[\d.]+(?:[eE][+-]?\d+)?|true|false|null/y
  token.lastIndex = from
  const found = token.exec(text)?.[0]
  if (found === undefined) return wrong(text, from)
  try {
    return { value: JSON.parse(found), to: from + found.length, members: [], last: from, comma: false }
  } catch {
    return wrong(text, from)
  }
}

const list = (text: string, from: number): Parsed => {
  const values: Array<unknown> = []
  let at = skip(text, from + 1)
  while (text[at] !== "]") {
    const item = value(text, at)
    values.push(item.value)
    at = skip(text, item.to)
    if (text[at] === ",") at = skip(text, at + 1)
    else if (text[at] !== "]") wrong(text, at)
  }
  return { value: values, to: at + 1, members: [], last: from, comma: false }
}

const object = (text: string, from: number): Parsed => {
  const members: Array<Member> = []
  let last = from + 1
  let comma = false
  let at = skip(text, from + 1)
  while (text[at] !== "}") {
    const key = scalar(text, at)
    if (!Predicate.isString(key.value)) wrong(text, at)
    at = skip(text, key.to)
    if (text[at] !== ":") wrong(text, at)
    at = skip(text, at + 1)
    const item = value(text, at)
    members.push({ key: String(key.value), from: at, to: item.to, value: item.value })
    last = item.to
    at = skip(text, item.to)
    comma = text[at] === ","
    if (comma) {
      last = at + 1
      at = skip(text, at + 1)
    } else if (text[at] !== "}") wrong(text, at)
  }
  const fields = Object.fromEntries(members.map((member) => [member.key, member.value]))
  return { value: fields, to: at + 1, members, last, comma }
}

const value = (text: string, at: number): Parsed =>
  text[at] === "{" ? object(text, at) : text[at] === "[" ? list(text, at) : scalar(text, at)

/** The value that a text says, or the sentence that it says none. Blank text says an empty object. */
export const parse = (text: string): { readonly value: unknown } | { readonly problem: string } => {
  try {
    const from = skip(text, 0)
    if (from === text.length) return { value: {} }
    const found = value(text, from)
    const end = skip(text, found.to)
    return end === text.length ? { value: found.value } : wrong(text, end)
  } catch (error) {
    if (error instanceof Malformed) return { problem: error.message }
    throw error
  }
}

/** Some lines further in, the first one excepted. */
const indented = (json: string, by: string) => json.replaceAll("\n", `\n${by}`)

/** The text with a value at a path of keys; the sentence that says why it cannot be put there. */
export const set = (
  text: string,
  path: readonly [string, ...ReadonlyArray<string>],
  json: unknown
): { readonly text: string } | { readonly problem: string } => {
  const read = parse(text)
  if ("problem" in read) return read
  const start = skip(text, 0)
  if (start === text.length) return set("{}\n", path, json)
  const unit = /\n([ \t]+)"/.exec(text)?.[1] ?? "  "
  let at = start
  for (const [depth, key] of path.entries()) {
    if (text[at] !== "{") return { problem: `${path.slice(0, depth).join(".") || "the file"} is no object` }
    const { comma, last, members } = object(text, at)
    const member = members.find((each) => each.key === key)
    const rest = path.slice(depth + 1)
    const margin = unit.repeat(depth + 1)
    if (member === undefined) {
      const inner = rest.reduceRight<unknown>((made, name) => ({ [name]: made }), json)
      const written = `\n${margin}${JSON.stringify(key)}: ${indented(JSON.stringify(inner, undefined, unit), margin)}`
      const before = text.slice(0, last)
      const after = text.slice(last)
      const separator = members.length === 0 || comma ? "" : ","
      const close =
        /^\s*\}/.test(after) && !after.slice(0, after.indexOf("}")).includes("\n") ? `\n${unit.repeat(depth)}` : ""
      return {
        text: `${before}${separator}${written}${comma ? "," : ""}${close}${close === "" ? after : after.trimStart()}`
      }
    }
    if (rest.length === 0) {
      const written = indented(JSON.stringify(json, undefined, unit), margin)
      return { text: `${text.slice(0, member.from)}${written}${text.slice(member.to)}` }
    }
    at = member.from
  }
  return { problem: "nothing to set" }
}
