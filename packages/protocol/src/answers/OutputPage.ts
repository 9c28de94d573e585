/**
 * Pages of captured output: cursors, and cuts that lose no byte.
 *
 * A cursor is a position in the output of a session: an entry and how many bytes of it (UTF-8) lie before. A page is read
 * forwards from a cursor, or backwards from one, by default from the end. It is cut between entries, or inside one if the
 * entry alone is too large, and it has the cursor of the rest. Every page of output that is not empty moves the cursor.
 */
import * as Schema from "effect/Schema"
import type { Answer, Truncation } from "./Answer.ts"
import * as Hint from "./Hint.ts"
import { type Channel, type OutputEntry, OutputPage } from "../model/Output.ts"

/** A position: `offset` bytes into entry `seq`. */
export interface Cursor {
  readonly seq: number
  readonly offset: number
}

/** A position as callers write it: `31`, or `31+2000` if 2000 bytes of entry 31 lie before it. */
export const write = ({ offset, seq }: Cursor): number | string => (offset === 0 ? seq : `${seq}+${offset}`)

/** Reads a position. A text of another form is 0. */
export const read = (text: number | string): Cursor => {
  const [, seq = "0", offset = "0"] = /^(\d{1,15})(?:\+(\d{1,15}))?$/.exec(String(text)) ?? []
  return { seq: Number(seq), offset: Number(offset) }
}

/** Maximum number of entries of a page. */
const maxEntries = 1000

/** Returns the size of the code point at an index in UTF-8 (a lone surrogate has 3), and its number of code units. */
const pointAt = (text: string, index: number): readonly [bytes: number, units: number] => {
  const unit = text.charCodeAt(index)
  if (unit < 0x80) return [1, 1]
  if (unit < 0x800) return [2, 1]
  const next = text.charCodeAt(index + 1)
  return unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000 ? [4, 2] : [3, 1]
}

/** Returns the size of a text in UTF-8, in bytes. */
export const size = (text: string): number => {
  let bytes = 0
  for (let at = 0; at < text.length;) {
    const [own, units] = pointAt(text, at)
    bytes += own
    at += units
  }
  return bytes
}

/** Returns the index of the code point that contains the byte at `offset`, and the offset where that code point begins. */
const indexOf = (text: string, offset: number): { readonly index: number; readonly at: number } => {
  let [index, at] = [0, 0]
  while (index < text.length) {
    const [bytes, units] = pointAt(text, index)
    if (at + bytes > offset) break
    at += bytes
    index += units
  }
  return { index, at }
}

/** A part of the output: a part of an entry, or with a pattern a line, which may be in several entries. */
export interface Piece {
  readonly seq: number
  /** Bytes of the entry before the piece. */
  readonly offset: number
  readonly channel: Channel
  readonly text: string
  readonly time: number
  readonly stop: number
  /** The position after it. */
  readonly end: Cursor
  /** True if it is a part of what it belongs to. */
  readonly partial: boolean
}

/** How a page is read. */
export interface Direction {
  readonly backward: boolean
  /** True if pieces are lines that matched: their rest cannot be found again, so the cursor moves past a line that is cut. */
  readonly lines: boolean
}

/** Returns the direction of a call of `output`. */
export const directionOf = (input: { readonly [field: string]: unknown }): Direction => ({
  backward: (input["since"] === undefined && input["new"] !== true) || input["tail"] !== undefined,
  lines: input["match"] !== undefined
})

/** Returns the part of an entry from byte `from` up to byte `to`. Both are moved down to a code point. */
export const sliced = (
  entry: Omit<Piece, "offset" | "end" | "partial">,
  bytes: number,
  from: number,
  to: number
): Piece => {
  const isAscii = bytes === entry.text.length
  const start = isAscii ? { index: from, at: from } : indexOf(entry.text, from)
  const end = isAscii
    ? { index: to, at: to }
    : to >= bytes
      ? { index: entry.text.length, at: bytes }
      : indexOf(entry.text, to)
  return {
    ...entry,
    offset: start.at,
    text: entry.text.slice(start.index, end.index),
    end: end.at >= bytes ? { seq: entry.seq + 1, offset: 0 } : { seq: entry.seq, offset: end.at },
    partial: start.at > 0 || end.at < bytes
  }
}

/** Returns the first `room` bytes of a piece, at least one code point; whole lines if they are more than half of it. */
const head = (piece: Piece, room: number): Piece => {
  const { index } = indexOf(piece.text, room)
  const line = piece.text.lastIndexOf("\n", index - 1) + 1
  const to = index === 0 ? pointAt(piece.text, 0)[1] : line > index / 2 ? line : index
  const text = piece.text.slice(0, to)
  return { ...piece, text, end: { seq: piece.seq, offset: piece.offset + size(text) }, partial: true }
}

/** Returns the last `room` bytes of a piece, at least one code point; whole lines if they are more than half of it. */
const last = (piece: Piece, room: number): Piece => {
  const whole = size(piece.text)
  const { at, index } = indexOf(piece.text, whole - room)
  const units = at < whole - room ? pointAt(piece.text, index)[1] : 0
  const from = index + units < piece.text.length ? index + units : index
  const line = piece.text.indexOf("\n", from) + 1
  const length = piece.text.length - from
  const begin = piece.text[from - 1] !== "\n" && line > 0 && piece.text.length - line > length / 2 ? line : from
  const text = piece.text.slice(begin)
  return { ...piece, offset: piece.offset + whole - size(text), text, partial: true }
}

/** Collects the pieces of one page until `room` bytes are full. */
export class Collector {
  readonly #direction: Direction
  readonly #pieces: Array<Piece> = []
  readonly #whole: number
  #room: number
  /** Where the rest begins, or ends if the page is read backwards; undefined until the page is full. */
  rest: Cursor | undefined

  constructor(direction: Direction, room: number) {
    this.#direction = direction
    this.#whole = Math.max(1, room)
    this.#room = this.#whole
  }

  /** The pieces from the oldest to the newest. */
  get pieces(): ReadonlyArray<Piece> {
    return this.#direction.backward ? this.#pieces.toReversed() : this.#pieces
  }

  /** Adds a piece. Returns false once the page is full. */
  add(piece: Piece): boolean {
    const { backward, lines } = this.#direction
    const bytes = size(piece.text)
    const full = this.#room <= 0 || this.#pieces.length >= maxEntries
    // A line and a small entry are left to the next page instead of being cut.
    const isLeft = bytes > this.#room && (lines || bytes <= this.#whole / 2)
    if (this.#pieces.length > 0 && (full || isLeft)) {
      this.rest = backward ? piece.end : piece
      return false
    }
    const part = bytes <= this.#room ? piece : backward && !lines ? last(piece, this.#room) : head(piece, this.#room)
    this.#pieces.push(part)
    this.#room -= bytes
    if (part === piece) return true
    this.rest = backward ? part : lines ? piece.end : part.end
    return false
  }
}

/** Returns an entry of an answer. */
export const entryOf = ({ channel, offset, partial, seq, stop, text, time }: Piece): OutputEntry => ({
  seq,
  channel,
  text,
  time,
  stop,
  ...(offset === 0 ? {} : { offset }),
  ...(partial ? { partial } : {})
})

/** Returns the fields of a page with the position of its rest. `end` is the position after the newest piece. */
export const cursors = (
  { backward }: Direction,
  rest: Cursor | undefined,
  end: Cursor
): Pick<OutputPage, "next" | "next_offset" | "previous" | "previous_offset"> => {
  const next = backward ? end : (rest ?? end)
  return {
    next: next.seq,
    ...(next.offset === 0 ? {} : { next_offset: next.offset }),
    ...(!backward || rest === undefined
      ? {}
      : { previous: rest.seq, ...(rest.offset === 0 ? {} : { previous_offset: rest.offset }) })
  }
}

/** Returns the cursor after a page, to be passed on as `since`. */
export const nextOf = ({ next, next_offset: offset = 0 }: Pick<OutputPage, "next" | "next_offset">): number | string =>
  write({ seq: next, offset })

/** Returns the cursor of what lies before a page, to be passed on as `before`; undefined if nothing does. */
export const previousOf = ({
  previous: seq,
  previous_offset: offset = 0
}: Pick<OutputPage, "previous" | "previous_offset">): number | string | undefined =>
  seq === undefined ? undefined : write({ seq, offset })

/** Returns what an answer says about a page that its limit cut. */
export const truncations = (page: OutputPage): ReadonlyArray<Truncation> => {
  if (page.truncated !== true) return []
  const before = previousOf(page)
  const hint = Hint.again("output", before === undefined ? { since: nextOf(page) } : { before })
  return [{ path: "data.entries", shown: page.entries.length, hints: [hint] }]
}

/** Returns a page with at most `room` bytes of its text. */
const cut = (page: OutputPage, direction: Direction, room: number): OutputPage => {
  const end = { seq: page.next, offset: page.next_offset ?? 0 }
  const collector = new Collector(direction, room)
  const pieces = page.entries.map((entry, index): Piece => {
    const { channel, offset = 0, partial = false, seq, stop, text, time } = entry
    const after = page.entries[index + 1]
    const own = { seq, offset: offset + size(text) }
    const following = after === undefined ? end : { seq: after.seq, offset: after.offset ?? 0 }
    return { seq, offset, channel, text, time, stop, partial, end: direction.lines ? following : own }
  })
  for (const piece of direction.backward ? pieces.toReversed() : pieces) if (!collector.add(piece)) break
  const { rest } = collector
  if (rest === undefined) return page
  const entries = collector.pieces.map(entryOf)
  const text = entries.map((entry) => entry.text).join("")
  const { next: _, next_offset: __, previous: ___, previous_offset: ____, ...others } = page
  const earlier = direction.backward ? { earlier: (page.earlier ?? 0) + size(page.text) - size(text) } : {}
  return { ...others, ...cursors(direction, rest, end), ...earlier, entries, text, truncated: true }
}

const isPage = Schema.is(OutputPage)

/** Returns the data of an answer as a page; undefined if it is none. */
export const of = (data: unknown): OutputPage | undefined => (isPage(data) ? data : undefined)

/**
 * Returns the call that marks what a surface cut from the page of a call with `new` as not read; undefined if it cut nothing.
 */
export const unread = (
  input: { readonly [field: string]: unknown },
  whole: Answer<unknown>,
  shown: Answer<unknown>
): { readonly [field: string]: unknown } | undefined => {
  const [all, part] = [of(whole.data), of(shown.data)]
  if (input["new"] !== true || all === undefined || part === undefined) return undefined
  const end = nextOf(part)
  return end === nextOf(all) ? undefined : { ...input, before: end, limit: 1, follow: false }
}

/**
 * Cuts an answer of `output` until `excess` is at most 1: the size that a surface makes of it, divided by the size that it
 * allows. Keeps at least one code point. `input` is the payload of the call.
 */
export const shrink = (
  answer: Answer<unknown>,
  input: { readonly [field: string]: unknown },
  excess: (answer: Answer<unknown>) => number
): Answer<unknown> => {
  const direction = directionOf(input)
  let result = answer
  for (let round = 0; round < 24; round += 1) {
    const data = of(result.data)
    if (data === undefined || data.entries.length === 0) return result
    const ratio = excess(result)
    if (ratio <= 1) return result
    const before = size(data.text)
    // Entries have a size besides their text, so the ratio alone may not converge.
    const page = cut(data, direction, Math.min(before - 1, Math.floor((before / ratio) * 0.95)))
    if (page === data || (page.text === data.text && page.entries.length === data.entries.length)) return result
    result = { ...result, data: page, truncated: truncations(page) }
  }
  return result
}
