/**
 * A small document: lines of styled spans, and lists that may be cut.
 *
 * A document does not depend on the terminal. Every span is sanitised when it is made. A budget removes whole entries of
 * lists and names the command that shows the rest. If the first entry is longer than the budget, its beginning is shown.
 */
import * as Sanitise from "./Sanitise.ts"

/** The meaning of a span. `render` chooses its colour. A colour is never the only sign. */
export type Style = "plain" | "dim" | "error" | "warning" | "current" | "changed" | "number" | "name" | "heading"

/** Text on one line, sanitised. */
export interface Span {
  readonly text: string
  readonly style: Style
}

/** One line. */
export type Line = ReadonlyArray<Span>

/** Lines that are always shown, or a list whose last entries may be left out. */
export type Block =
  | { readonly _tag: "Lines"; readonly lines: ReadonlyArray<Line> }
  | {
      readonly _tag: "List"
      readonly entries: ReadonlyArray<ReadonlyArray<Line>>
      /** Returns the command that continues after `shown` entries. */
      readonly more: (shown: number) => string
      /** Returns the command that shows the first entry whole. Absent: of a first entry without room nothing is shown. */
      readonly whole?: () => string
      /** The entries that the answer does not have: how many, and the line that names the command for them. */
      readonly beyond?: { readonly count: number; readonly line: Line }
    }

/** Blocks from top to bottom. */
export type Doc = ReadonlyArray<Block>

/** Returns a span. Newlines in it become visible; for text of several lines use `paragraph`. */
export const span = (text: string, style: Style = "plain"): Span => ({ text: Sanitise.line(text), style })

/** Returns a line of spans and strings, without the empty ones. */
export const line = (...parts: ReadonlyArray<Span | string>): Line =>
  parts.map((part) => (typeof part === "string" ? span(part) : part)).filter(({ text }) => text !== "")

/** The empty document. */
export const empty: Doc = []

/** Lines that are always shown. */
export const lines = (...content: ReadonlyArray<Line>): Doc =>
  content.length === 0 ? empty : [{ _tag: "Lines", lines: content }]

/**
 * Returns a list of entries of one or more lines. `more` returns the command that continues after `shown` entries, `whole` the one
 * that shows the first entry whole.
 */
export const list = (
  entries: ReadonlyArray<ReadonlyArray<Line>>,
  more: (shown: number) => string,
  whole?: () => string
): Doc => (entries.length === 0 ? empty : [{ _tag: "List", entries, more, ...(whole === undefined ? {} : { whole }) }])

/**
 * Adds the entries that an answer does not have to the list at the end of its document. A list that is cut counts them with its own, and
 * names one command for all. Undefined: the document does not end with a list.
 */
export const beyond = (doc: Doc, count: number, content: Line): Doc | undefined => {
  const last = doc.at(-1)
  return last?._tag === "List" ? [...doc.slice(0, -1), { ...last, beyond: { count, line: content } }] : undefined
}

/** Concatenates documents. */
export const concat = (...docs: ReadonlyArray<Doc>): Doc => docs.flat()

/** Returns the lines of a text. A newline at the end adds no line. */
export const paragraph = (text: string, style: Style = "plain"): ReadonlyArray<Line> =>
  text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((part) => line(span(part, style)))

/** Cuts a text to `limit` characters, the last of which is then `…`. */
export const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  // A character has one or two units, so these units decide, however long the text is.
  const characters = Array.from(text.slice(0, 2 * limit + 2))
  return characters.length <= limit ? text : `${characters.slice(0, Math.max(limit - 1, 0)).join("")}…`
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u

/** Returns the columns of a text on a terminal: wide characters take two, combining ones none. */
export const width = (text: string): number => {
  let columns = 0
  for (const character of text) columns += /\p{M}/u.test(character) ? 0 : wide.test(character) ? 2 : 1
  return columns
}

/** Pads a text with spaces to a width. */
export const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(columns - width(text), 0))

/** Returns rows as lines with aligned columns, two spaces apart, without trailing spaces. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const clean = rows.map((row) => row.map(Sanitise.line))
  const widths: Array<number> = []
  for (const row of clean) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, width(cell))
    })
  }
  return clean.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

const trimmed = (content: Line): Line => {
  const last = content.at(-1)
  if (last === undefined || !/\s$/.test(last.text)) return content
  const text = last.text.trimEnd()
  return text === "" ? trimmed(content.slice(0, -1)) : [...content.slice(0, -1), { ...last, text }]
}

/** Returns all lines of a document, without trailing spaces. */
export const toLines = (doc: Doc): ReadonlyArray<Line> =>
  doc
    .flatMap((block) =>
      block._tag === "Lines"
        ? block.lines
        : [...block.entries.flat(), ...(block.beyond === undefined ? [] : [block.beyond.line])]
    )
    .map(trimmed)

const codes: { readonly [S in Style]: string } = {
  plain: "",
  dim: "2",
  error: "31",
  warning: "33",
  current: "1",
  changed: "33",
  number: "36",
  name: "32",
  heading: "1"
}

const ansi = ({ text, style }: Span) => (codes[style] === "" ? text : `\u001b[${codes[style]}m${text}\u001b[0m`)

/** Renders the document as text that ends in a newline, with or without colours. */
export const render = (doc: Doc, options: { readonly color: boolean } = { color: false }): string =>
  toLines(doc)
    .map((content) => `${content.map((part) => (options.color ? ansi(part) : part.text)).join("")}\n`)
    .join("")

const encoder = new TextEncoder()
const size = (text: string) => encoder.encode(text).length
const bytes = (doc: Doc) => size(render(doc))

const continuation = (hidden: number, command: string): Doc => lines(line(span(`… ${hidden} more · ${command}`, "dim")))

/** The fewest bytes of an entry that are shown, also if its list has no room. */
const leastShown = 40

/** Returns as many characters of a line as `room` bytes allow, the last of which is then `…`. */
const beginningOf = (content: Line, room: number): Line => {
  const found: Array<Span> = []
  let left = room - size("…\n")
  for (const part of content) {
    if (size(part.text) <= left) {
      found.push(part)
      left -= size(part.text)
      continue
    }
    let text = ""
    for (const character of part.text) {
      if (size(character) > left) break
      left -= size(character)
      text += character
    }
    return [...found, { ...part, text: `${text}…` }]
  }
  return found
}

/** Returns the first lines of an entry that is longer than `room` bytes, the first of them cut if necessary. */
const beginning = (entry: ReadonlyArray<Line>, room: number): ReadonlyArray<Line> => {
  const found: Array<Line> = []
  let left = room
  for (const content of entry) {
    const length = bytes(lines(content))
    if (length > left) return found.length > 0 ? found : [beginningOf(content, left)]
    found.push(content)
    left -= length
  }
  return found
}

/** Returns the beginning of the first entry of a list, which is longer than `room` bytes, and the commands that show the rest. */
const opening = (block: Block & { readonly _tag: "List" }, whole: () => string, room: number): Doc => {
  const [first = []] = block.entries
  const others = block.entries.length - 1 + (block.beyond?.count ?? 0)
  const rest = concat(
    lines(line(span(`… the rest of it · ${whole()}`, "dim"))),
    others === 0 ? empty : continuation(others, block.more(1))
  )
  return concat(lines(...beginning(first, Math.max(room - bytes(rest), leastShown))), rest)
}

const shorten = (block: Block & { readonly _tag: "List" }, room: number): Doc => {
  const total = block.entries.length + (block.beyond?.count ?? 0)
  let used = 0
  let shown = 0
  for (const entry of block.entries) {
    const next = used + bytes(lines(...entry))
    if (next + bytes(continuation(total - shown - 1, block.more(shown + 1))) > room) break
    used = next
    shown += 1
  }
  if (shown === 0 && block.whole !== undefined) return opening(block, block.whole, room)
  return concat(list(block.entries.slice(0, shown), block.more), continuation(total - shown, block.more(shown)))
}

/**
 * Cuts a document to `budget` bytes of UTF-8; 0 means no limit. Lists lose entries from their end, the last list first.
 * Other lines are never cut, so the result may be longer.
 */
export const fit = (doc: Doc, budget: number): Doc => {
  if (budget <= 0) return doc
  let result = doc
  for (let index = doc.length - 1; index >= 0; index -= 1) {
    const block = doc[index]
    const over = bytes(result) - budget
    if (over <= 0) break
    if (block?._tag !== "List") continue
    const shorter = shorten(block, bytes([block]) - over)
    result = [...result.slice(0, index), ...shorter, ...result.slice(index + 1)]
  }
  return result
}
