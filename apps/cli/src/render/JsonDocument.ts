/**
 * JSON documents: within a budget, a part of one, as text.
 *
 * A document that is too long loses items from the end of its longest list or, where there is none, whole lines of its
 * longest text, until it fits; each cut is listed under `truncated` with the call that shows the rest.
 */
import { Envelope, type Hint } from "@sigtrap/protocol"
import { Sanitise } from "@sigtrap/text"
import { Predicate } from "effect"
import * as HintText from "./HintText.ts"

/** A JSON object. */
export interface Document {
  readonly [key: string]: unknown
}

/** How to ask for what was cut off. */
export interface Continuation {
  /** The call that goes on after that many items of a list under `data`. */
  readonly more: (path: string, shown: number, next: unknown) => Hint.Hint
}

const encoder = new TextEncoder()
const size = (value: unknown): number => encoder.encode(JSON.stringify(value) ?? "").length

/** The document on one line, or indented; characters that a terminal would obey are JSON escapes. */
export const print = (document: unknown, pretty: boolean): string =>
  `${Sanitise.json(JSON.stringify(document, null, pretty ? 2 : 0) ?? "null")}\n`

interface Part {
  readonly path: ReadonlyArray<string>
  readonly value: ReadonlyArray<unknown> | string
  readonly bytes: number
}

/** Lists and long texts, wherever they are. */
const parts = (value: unknown, path: ReadonlyArray<string>): ReadonlyArray<Part> => {
  if (typeof value === "string") return value.length > 200 ? [{ path, value, bytes: size(value) }] : []
  if (Array.isArray(value)) {
    const inside = value.flatMap((item, index) => parts(item, [...path, String(index)]))
    return value.length === 0 ? inside : [{ path, value, bytes: size(value) }, ...inside]
  }
  return Predicate.isReadonlyObject(value)
    ? Object.entries(value).flatMap(([key, item]) => parts(item, [...path, key]))
    : []
}

const replace = (value: unknown, path: ReadonlyArray<string>, by: unknown): unknown => {
  const [first, ...rest] = path
  if (first === undefined) return by
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === first ? replace(item, rest, by) : item))
  return Predicate.isReadonlyObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, key === first ? replace(item, rest, by) : item])
      )
    : value
}

/** As many items as have so many bytes. */
const items = (value: ReadonlyArray<unknown>, room: number): number => {
  let used = 2
  let shown = 0
  for (const item of value) {
    used += size(item) + 1
    if (used > room) break
    shown += 1
  }
  return shown
}

/** As many whole lines as have so many bytes; of a single line nothing. */
const lines = (value: string, room: number): number => {
  let shown = 0
  for (const match of value.matchAll(/\n/g)) {
    if (size(value.slice(0, match.index + 1)) > room) break
    shown = match.index + 1
  }
  return shown
}

const joined = (entries: ReadonlyArray<unknown>): string =>
  entries
    .map((entry) => (Predicate.isReadonlyObject(entry) && Predicate.isString(entry["text"]) ? entry["text"] : ""))
    .join("")

/** Output says its text twice and where to go on: all three must agree after a cut. */
const agree = (data: unknown, path: string, next: unknown): unknown =>
  path === "data.entries" &&
  Predicate.isReadonlyObject(data) &&
  Array.isArray(data["entries"]) &&
  Predicate.isReadonlyObject(next) &&
  "next" in data
    ? { ...data, text: joined(data["entries"]), next: next["seq"] }
    : data

const cut = (document: Document, over: number, { more }: Continuation): Document | undefined => {
  const all = parts(document["data"], []).filter(({ path }) => path.length > 0)
  // Entries before text: the text of output is made from them.
  const entries = all.find(({ path }) => path.length === 1 && path[0] === "entries")
  const [longest] = all.toSorted((a, b) => b.bytes - a.bytes)
  const part = entries ?? longest
  if (part === undefined) return undefined
  const path = ["data", ...part.path].join(".")
  const double = entries === undefined ? 1 : 2
  // What the notice of the cut takes.
  const room = part.bytes - Math.ceil((over + 160) / double)
  const shown = typeof part.value === "string" ? lines(part.value, room) : items(part.value, room)
  const next = typeof part.value === "string" ? undefined : part.value[shown]
  const truncated = Array.isArray(document["truncated"]) ? document["truncated"] : []
  const before = truncated.findLast((entry) => Predicate.isReadonlyObject(entry) && entry["path"] === path)
  const total = Predicate.isReadonlyObject(before) ? before["total"] : part.value.length
  const data = replace(document["data"], part.path, part.value.slice(0, shown))
  return {
    ...document,
    data: agree(data, path, next),
    truncated: [
      ...truncated.filter((entry) => entry !== before),
      ...Envelope.truncations(
        [{ path, shown, ...(Predicate.isNumber(total) ? { total } : {}), hints: [more(path, shown, next)] }],
        HintText.write
      )
    ]
  }
}

/** The document within so many bytes, as far as it has lists and texts to cut; 0 is unlimited. */
export const fit = (document: Document, budget: number, continuation: Continuation): Document => {
  if (budget === 0) return document
  let result = document
  for (let round = 0; round < 8; round += 1) {
    const over = size(result) + 1 - budget
    if (over <= 0) return result
    const shorter = cut(result, over, continuation)
    if (shorter === undefined || size(shorter) >= size(result)) return result
    result = shorter
  }
  return result
}

/** A part of a document, or the names that there are where the path ends. */
export type Selected =
  | { readonly found: true; readonly value: unknown }
  | { readonly found: false; readonly names: ReadonlyArray<string>; readonly missing: string }

/** The part of a document under a path such as `data.frames[0].line` or `data.frames.0.line`. */
export const select = (document: unknown, path: string): Selected => {
  let value = document
  const keys = path
    .replaceAll(/\[(\d+)\]/g, ".$1")
    .split(".")
    .filter((key) => key !== "")
  for (const key of keys) {
    const inside = Predicate.isObject(value) || Array.isArray(value) ? Object.entries(value) : []
    const entry = inside.find(([name]) => name === key)
    if (entry === undefined) return { found: false, names: inside.map(([name]) => name), missing: key }
    value = entry[1]
  }
  return { found: true, value }
}

/** A selected part as text: scalars bare, the rest as JSON. */
export const printPart = (value: unknown, pretty: boolean): string =>
  Predicate.isString(value) ? `${Sanitise.text(value)}\n` : print(value, pretty)
