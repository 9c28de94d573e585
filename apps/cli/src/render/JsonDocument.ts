/**
 * Prints JSON documents, cuts them to a budget, and selects parts of them.
 *
 * A document over the budget loses items from the end of its longest list or whole lines from the end of its longest
 * text, until it fits. `truncated` lists each cut with the call that shows the rest.
 */
import { Envelope, type Hint, NumberedPage } from "@sigtrap/protocol"
import { Sanitise } from "@sigtrap/text"
import { Predicate } from "effect"
import * as HintText from "./HintText.ts"

/** A JSON object. */
export interface Document {
  readonly [key: string]: unknown
}

/** Makes the calls that show the rest after a cut. */
export interface Continuation {
  /** Returns the call that shows the rest of `path` after `shown` items. */
  readonly more: (path: string, shown: number, next: unknown) => Hint.Hint
}

const encoder = new TextEncoder()
const size = (value: unknown): number => encoder.encode(JSON.stringify(value) ?? "").length

/** Returns a document on one line, or indented. Terminal control characters become JSON escapes. */
export const print = (document: unknown, pretty: boolean): string =>
  `${Sanitise.json(JSON.stringify(document, null, pretty ? 2 : 0) ?? "null")}\n`

/** Cuts a text into slices of `most` UTF-16 code units, at least 2, and of one less where it would split a surrogate pair. */
export function* slices(text: string, most: number): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = from + most
    const unit = end < text.length ? text.charCodeAt(end - 1) : 0
    const to = unit >= 0xd800 && unit < 0xdc00 ? end - 1 : end
    yield text.slice(from, to)
    from = to
  }
}

/** Levels of a document that are divided: itself, its data, and the lists in its data. */
const dividedLevels = 3

/** Yields the JSON text of a value in parts: long texts, and the fields and items of some levels, each alone. */
function* jsonParts(value: unknown, most: number, levels: number): Generator<string> {
  if (Predicate.isString(value) && value.length > most) {
    yield '"'
    for (const slice of slices(value, most)) yield JSON.stringify(slice).slice(1, -1)
    yield '"'
  } else if (levels > 0 && Array.isArray(value)) {
    let before = "["
    for (const item of value) {
      yield before
      yield* jsonParts(item, most, levels - 1)
      before = ","
    }
    yield before === "[" ? "[]" : "]"
  } else if (levels > 0 && Predicate.isReadonlyObject(value)) {
    let before = "{"
    for (const [key, field] of Object.entries(value)) {
      if (field === undefined) continue
      yield `${before}${JSON.stringify(key)}:`
      yield* jsonParts(field, most, levels - 1)
      before = ","
    }
    yield before === "{" ? "{}" : "}"
  } else yield JSON.stringify(value) ?? "null"
}

/**
 * Yields what `print` returns on one line, in pieces of about `most` UTF-16 code units, at least 2, so that the work can be divided. A
 * piece may be longer by one value.
 */
export function* pieces(document: Document, most: number): Generator<string> {
  let text = ""
  for (const part of jsonParts(document, most, dividedLevels)) {
    text += part
    if (text.length < most) continue
    yield Sanitise.json(text)
    text = ""
  }
  yield `${Sanitise.json(text)}\n`
}

interface Part {
  readonly path: ReadonlyArray<string>
  readonly value: ReadonlyArray<unknown> | string
  readonly bytes: number
}

/** Returns all lists, and all texts over 200 characters, with their paths. */
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

/** Returns how many items fit into `room` bytes. */
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

/** Returns the length of the whole lines that fit into `room` bytes; 0 for text without a line break. */
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

/** Updates `text` of an output answer and `next` of a page after items were cut, of which `removed` is the first. */
const agree = (data: unknown, path: ReadonlyArray<string>, removed: unknown): unknown => {
  const page = path.length === 1 ? NumberedPage.continuedAt(data, removed) : data
  return path[0] === "entries" &&
    path.length === 1 &&
    Predicate.isReadonlyObject(page) &&
    Array.isArray(page["entries"])
    ? { ...page, text: joined(page["entries"]) }
    : page
}

const cut = (document: Document, over: number, { more }: Continuation): Document | undefined => {
  const all = parts(document["data"], []).filter(({ path }) => path.length > 0)
  // Entries are cut before text, because `agree` rebuilds the text of output from them.
  const entries = all.find(({ path }) => path.length === 1 && path[0] === "entries")
  const [longest] = all.toSorted((a, b) => b.bytes - a.bytes)
  const part = entries ?? longest
  if (part === undefined) return undefined
  const path = ["data", ...part.path].join(".")
  const double = entries === undefined ? 1 : 2
  // 160 bytes are reserved for the entry in `truncated`.
  const room = part.bytes - Math.ceil((over + 160) / double)
  const isPage =
    typeof part.value !== "string" && part.path.length === 1 && NumberedPage.isPage(document["data"], part.value)
  const fitting = typeof part.value === "string" ? lines(part.value, room) : items(part.value, room)
  const shown = isPage ? Math.max(1, fitting) : fitting
  const next = typeof part.value === "string" ? undefined : part.value[shown]
  const truncated = Array.isArray(document["truncated"]) ? document["truncated"] : []
  const before = truncated.findLast((entry) => Predicate.isReadonlyObject(entry) && entry["path"] === path)
  const total = Predicate.isReadonlyObject(before) ? before["total"] : part.value.length
  const data = replace(document["data"], part.path, part.value.slice(0, shown))
  return {
    ...document,
    data: agree(data, part.path, next),
    truncated: [
      ...truncated.filter((entry) => entry !== before),
      ...Envelope.truncations(
        [{ path, shown, ...(Predicate.isNumber(total) ? { total } : {}), hints: [more(path, shown, next)] }],
        HintText.write
      )
    ]
  }
}

/** Cuts lists and texts until the document has at most `budget` bytes or nothing is left to cut; 0 is unlimited. */
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

/** A part of a document, or the first missing key and the keys that exist beside it. */
export type Selected =
  | { readonly found: true; readonly value: unknown }
  | { readonly found: false; readonly names: ReadonlyArray<string>; readonly missing: string }

/** Returns the part of a document at a path such as `data.frames[0].line` or `data.frames.0.line`. */
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

/** Returns a selected part as text: strings without quotes, other values as JSON. */
export const printPart = (value: unknown, pretty: boolean): string =>
  Predicate.isString(value) ? `${Sanitise.text(value)}\n` : print(value, pretty)
