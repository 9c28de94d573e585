/**
 * Reads pages of captured output from a session's journal: forwards from a cursor, or backwards from one. Copies only what
 * the page shows. With a pattern, the output is read as lines.
 */
import { type Output, OutputPage, Pattern } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Recorded } from "../session/events/EntryQueue.ts"
import type { OutputSource } from "../session/events/MaskedOutput.ts"

/** What to read. */
export interface Request {
  readonly direction: OutputPage.Direction
  readonly channels: ReadonlyArray<Output.Channel>
  /** The position of the oldest output to read. */
  readonly from: OutputPage.Cursor
  /** The position after the newest output to read. */
  readonly to: OutputPage.Cursor
  /** Bytes of text. */
  readonly limit: number
  /** Number of lines, if read backwards. */
  readonly lines: number | undefined
  readonly pattern: Pattern.Pattern | undefined
}

/** Maximum length of output without a line break that is read as one line, in characters. */
const maxBlock = 262_144

/** Length of the output that is read in one turn of the event loop, in characters: one millisecond of work. */
const maxTurn = 131_072

const isRead = (channels: Request["channels"], channel: Output.Channel) => channels.some((one) => one === channel)

/** Returns the part of an entry that a request reads; undefined if there is none. */
const pieceOf = (
  journal: OutputSource,
  kept: Recorded,
  { channels, from, to }: Request
): OutputPage.Piece | undefined => {
  if (kept.event._tag !== "Output" || !isRead(channels, kept.event.channel)) return undefined
  const { bytes, seq } = kept
  const begin = seq === from.seq ? from.offset : 0
  const end = seq === to.seq ? Math.min(to.offset, bytes) : bytes
  if (begin >= end) return undefined
  const { event, stop, time } = journal.at(seq) ?? kept
  if (event._tag !== "Output") return undefined
  return OutputPage.sliced({ seq, channel: event.channel, text: event.text, time, stop }, bytes, begin, end)
}

/** The pieces of a request from the oldest to the newest, or the other way around. */
function* piecesOf(journal: OutputSource, request: Request): Generator<OutputPage.Piece> {
  const { direction, from, to } = request
  const first = journal.output.positionOf(from.seq)
  const last = journal.output.positionOf(to.seq + 1) - 1
  for (let step = 0; step <= last - first; step++) {
    // The oldest may be dropped while the page is read.
    const entry = journal.output.get(direction.backward ? last - step : first + step)
    const piece = entry === undefined ? undefined : pieceOf(journal, entry, request)
    if (piece !== undefined) yield piece
  }
}

/** Returns the lines of successive pieces of one channel. A line belongs to the piece in which it begins. */
const linesOf = (pieces: ReadonlyArray<OutputPage.Piece>): ReadonlyArray<OutputPage.Piece> => {
  const lines: Array<OutputPage.Piece> = []
  for (const piece of pieces) {
    let offset = piece.offset
    const after = offset + OutputPage.size(piece.text)
    for (const text of piece.text.match(/[^\n]*\n|[^\n]+/g) ?? []) {
      const begun = lines.at(-1)
      const bytes = OutputPage.size(text)
      offset += bytes
      const end = offset >= after ? piece.end : { seq: piece.seq, offset }
      if (begun === undefined || begun.text.endsWith("\n")) {
        lines.push({ ...piece, offset: offset - bytes, text, end, partial: false })
      } else lines.splice(-1, 1, { ...begun, text: begun.text + text, end })
    }
  }
  return lines
}

/** The lines of pieces, in the order of the pieces. Pieces of a line are held until the line is complete. */
function* lineByLine(pieces: Iterable<OutputPage.Piece>, backward: boolean): Generator<OutputPage.Piece> {
  let block: Array<OutputPage.Piece> = []
  let length = 0
  const flush = () => {
    const lines = linesOf(backward ? block.toReversed() : block)
    block = []
    length = 0
    return backward ? lines.toReversed() : lines
  }
  for (const piece of pieces) {
    const neighbour = block.at(-1)
    const [earlier, later] = backward ? [piece, neighbour] : [neighbour, piece]
    const joins = earlier?.channel === later?.channel && earlier?.text.endsWith("\n") === false && length < maxBlock
    if (neighbour !== undefined && !joins) yield* flush()
    block.push(piece)
    length += piece.text.length
  }
  yield* flush()
}

/** Returns the part of a piece after its newline number `count` from the end, and how many newlines were counted. */
const lastLines = (piece: OutputPage.Piece, count: number): { readonly seen: number; readonly index: number } => {
  let seen = 0
  for (let at = piece.text.length - 1; at >= 0; at--) {
    if (piece.text[at] !== "\n") continue
    seen++
    if (seen > count) return { seen, index: at + 1 }
  }
  return { seen, index: 0 }
}

/** The newest lines of pieces that are read backwards: the last `count`, where a newline at the very end adds no line. */
function* newestLines(pieces: Iterable<OutputPage.Piece>, count: number): Generator<OutputPage.Piece> {
  let left: number | undefined
  for (const piece of pieces) {
    left ??= piece.text.endsWith("\n") ? count : count - 1
    const { index, seen } = lastLines(piece, left)
    if (seen <= left) {
      left -= seen
      yield piece
      continue
    }
    const offset = piece.offset + OutputPage.size(piece.text.slice(0, index))
    if (index < piece.text.length) yield { ...piece, offset, text: piece.text.slice(index), partial: true }
    return
  }
}

/** Returns the size of the output before a position, in bytes. Masking keeps sizes, so nothing is masked for it. */
const bytesBefore = (
  journal: OutputSource,
  { seq, offset }: OutputPage.Cursor,
  { channels, from }: Request
): number => {
  let bytes = 0
  for (let at = journal.output.positionOf(from.seq); at < journal.output.end; at++) {
    const entry = journal.output.get(at)
    if (entry === undefined || entry.seq > seq) break
    if (entry.event._tag !== "Output" || !isRead(channels, entry.event.channel)) continue
    const whole = entry.seq === seq ? Math.min(offset, entry.bytes) : entry.bytes
    bytes += Math.max(0, whole - (entry.seq === from.seq ? from.offset : 0))
  }
  return bytes
}

/** Returns the newest output of the program, or the newest before a position, at most `limit` bytes. */
export const newest = (
  journal: OutputSource,
  limit: number,
  to: OutputPage.Cursor = { seq: journal.next, offset: 0 }
): ReadonlyArray<Output.OutputEntry> => {
  const direction = { backward: true, lines: false }
  const collector = new OutputPage.Collector(direction, limit)
  const channels = ["stdout", "stderr", "log"] as const
  const request = { direction, channels, from: { seq: 0, offset: 0 }, to, limit, lines: undefined, pattern: undefined }
  for (const piece of piecesOf(journal, request)) if (!collector.add(piece)) break
  return collector.pieces.map(OutputPage.entryOf)
}

/**
 * Reads one page. A search for a pattern stops after 100 ms of work; the page then has the cursor of the output that was
 * not searched, and may be empty.
 */
export const page = Effect.fnUntraced(function* (journal: OutputSource, request: Request) {
  const { direction, from, lines, pattern } = request
  const { spend, worked } = yield* Pattern.budget
  // After the turn: output that arrives later is not in this page, so that its cursor does not lie before what it shows.
  const { next } = journal
  const to = request.to.seq >= next ? { seq: next, offset: 0 } : request.to
  const collector = new OutputPage.Collector(direction, request.limit)
  const pieces = piecesOf(journal, { ...request, to })
  let found = 0
  let read = 0
  let unsearched: OutputPage.Cursor | undefined
  let start: OutputPage.Cursor | undefined
  const wanted =
    pattern !== undefined
      ? lineByLine(pieces, direction.backward)
      : lines === undefined
        ? pieces
        : newestLines(pieces, lines)
  for (const piece of wanted) {
    if (pattern !== undefined) {
      if (worked() > Pattern.limits.work) {
        unsearched = direction.backward ? piece.end : { seq: piece.seq, offset: piece.offset }
        break
      }
      const isMatch = pattern.test(piece.text.endsWith("\n") ? piece.text.slice(0, -1) : piece.text)
      const spent = spend(pattern, Math.min(piece.text.length, pattern.reach))
      if (spent !== Effect.void) yield* spent
      if (!isMatch) continue
    }
    if (!collector.add(piece)) break
    found++
    start = piece
    read += piece.text.length
    if (read > maxTurn) {
      read = 0
      yield* Effect.yieldNow
    }
    if (pattern !== undefined && found === lines) break
  }
  const rest = collector.rest ?? unsearched
  // Lines that were not asked for do not count as cut, but they can be read.
  const before = direction.backward ? (rest ?? start) : undefined
  const earlier = before === undefined ? 0 : bytesBefore(journal, before, request)
  const entries = collector.pieces.map(OutputPage.entryOf)
  const fields: Output.OutputPage = {
    entries,
    text: entries.map(({ text }) => text).join(""),
    ...OutputPage.cursors(direction, direction.backward ? (earlier > 0 ? before : undefined) : rest, to),
    ...(earlier > 0 ? { earlier } : {}),
    ...(rest !== undefined && (!direction.backward || earlier > 0) ? { truncated: true } : {}),
    dropped: earlier > 0 ? 0 : journal.outputDroppedSince(from.seq)
  }
  return fields
})
