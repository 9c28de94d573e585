/**
 * The output of a program as rows: one for each line, with the places between them where the program stopped or ended. Rows are
 * added as output arrives; what was added before is not looked at again.
 */
import type { EventLine, OutputLine } from "../../connection/Answers.ts"
import { sizeOf } from "../words/Words.ts"

/** A place where entries were dropped. `bytes` is the size of the output among them, if that is known. */
interface Dropped {
  readonly type: "dropped"
  readonly count: number
  readonly bytes?: number
  readonly seq: number
}

/** A piece of output, or a place where output was dropped. */
export type OutputPiece = OutputLine | Dropped

/** The channels of lines: those of the program, and the messages of logpoints. */
type Written = "stdout" | "stderr" | "log"

/** True for the channels whose lines are shown; the debugger's own output is not. */
const isWritten = (channel: string): channel is Written =>
  channel === "stdout" || channel === "stderr" || channel === "log"

/** A row: a line of a channel, a sentence about output that is not kept, a stop, or how the program ended. */
export interface OutputRow {
  readonly key: string
  readonly channel: Written | "gap" | "stop" | "end"
  readonly text: string
  /** The stop of a row that marks one. */
  readonly stop?: number
  /** True if the row continues the line of the row above. */
  readonly continues?: boolean
}

/** Most rows that are kept. */
const kept = 5000

/** Most characters of a row. The browser lays out a row at once, so a longer line has several. */
const longest = 10_000

/** Returns how many characters of a text a row of `room` gets; a character of two units stays whole. */
const fitting = (text: string, room: number): number =>
  text.length > room && room > 0 && (text.codePointAt(room - 1) ?? 0) > 0xffff ? room - 1 : room

/** Shows control characters as text: `\u001b` becomes `␛`. */
const visible = (text: string): string =>
  text.replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, (character) =>
    String.fromCodePoint(0x2400 + (character.codePointAt(0) ?? 0))
  )

const endWords = (event: Extract<EventLine["event"], { readonly _tag: "Exited" }>): string =>
  event.signal !== undefined
    ? `The program was ended by ${event.signal}.`
    : event.exit_code === undefined
      ? "The program ended."
      : `The program ended with exit code ${event.exit_code}.`

const droppedWords = ({ bytes, count }: Dropped): string =>
  bytes === undefined
    ? `${count.toLocaleString("en")} older entries were dropped here.`
    : `${sizeOf(bytes)} of output was dropped here.`

/** Returns the number of lines that rows have. */
const countLines = (rows: ReadonlyArray<OutputRow>): number =>
  rows.filter(({ channel, continues }) => continues !== true && isWritten(channel)).length

/**
 * Returns how many of the lines that were written were found in `rows`: `3 of 120 lines`, and `3 of the newest 5,000 lines` where older ones
 * are not kept.
 */
export const foundWords = (
  found: ReadonlyArray<OutputRow>,
  rows: ReadonlyArray<OutputRow>,
  written: number
): string => {
  const searched = countLines(rows)
  const newest = searched < written ? "the newest " : ""
  return `${countLines(found).toLocaleString("en")} of ${newest}${searched.toLocaleString("en")} line${searched === 1 ? "" : "s"}`
}

/** The rows of one session. */
export class OutputRows {
  #rows: Array<OutputRow> = []
  /** The rows that the next piece of a channel continues, by their place. */
  readonly #open = new Map<string, OutputRow>()
  /** The channels whose last line is not complete and has a stop after it. */
  readonly #divided = new Set<string>()
  #lines = 0
  /** The number of lines whose rows were removed. */
  #removed = 0

  /** The rows, oldest first. The list is changed by `add`. */
  get rows(): ReadonlyArray<OutputRow> {
    return this.#rows
  }

  /** The number of lines that the program and its logpoints wrote. */
  get lines(): number {
    return this.#lines
  }

  /** Adds a piece of output. A line that is not complete is continued by the next piece of its channel. */
  add(piece: OutputPiece): void {
    if (piece.type === "dropped") {
      // Other events may be dropped where all output is kept.
      if (piece.bytes !== 0) this.#push({ key: `d${piece.seq}`, channel: "gap", text: droppedWords(piece) })
      return
    }
    const { channel } = piece
    if (!isWritten(channel)) return
    const lines = visible(piece.text).split("\n")
    for (const [at, line] of lines.entries()) {
      const known = at === 0 ? this.#open.get(channel) : undefined
      const last = at === lines.length - 1
      const divided = this.#divided.delete(channel)
      const key = `${piece.seq}.${at}`
      if (known !== undefined) this.#continue(channel, known, line, key)
      else if (line !== "" || (!last && !divided)) {
        if (!divided) this.#lines += 1
        this.#begin(channel, line, key, false)
      }
      if (!last) this.#open.delete(channel)
    }
  }

  /**
   * Adds the place of a stop or of the end. Of several stops without output between them, the last one is shown. Later output begins a new
   * row: no row has output from before and after a stop.
   */
  mark({ event, seq, stop }: EventLine): void {
    if (this.#rows.length === 0) return
    if (event._tag === "Exited") this.#push({ key: `m${seq}`, channel: "end", text: endWords(event) })
    if (event._tag !== "Stopped") return
    if (this.#rows.at(-1)?.channel === "stop") this.#rows.pop()
    for (const channel of this.#open.keys()) this.#divided.add(channel)
    this.#open.clear()
    this.#push({ key: `m${seq}`, channel: "stop", text: "", stop })
  }

  #push(row: OutputRow): void {
    this.#rows.push(row)
    if (this.#rows.length > kept * 1.2) this.#trim()
  }

  /** Removes the oldest rows. A row in their place says how many lines they had, below the newest place among them where output was dropped. */
  #trim(): void {
    const removed = this.#rows.slice(0, -kept)
    this.#removed += removed.filter(({ channel, continues }) => continues !== true && isWritten(channel)).length
    const dropped = removed.findLast(({ channel, key }) => channel === "gap" && key !== "removed")
    const text = `${this.#removed.toLocaleString("en")} older lines are not shown.`
    this.#rows = [
      ...(dropped === undefined ? [] : [dropped]),
      { key: "removed", channel: "gap", text },
      ...this.#rows.slice(-kept)
    ]
  }

  /** Adds the rows of a text. The last one is continued by the next piece of the channel. */
  #begin(channel: Written, text: string, key: string, continues: boolean): void {
    let rest = text
    let isFirst = !continues
    do {
      const room = fitting(rest, longest)
      const more = isFirst ? {} : { continues: true }
      const row: OutputRow = { key: `${key}.${text.length - rest.length}`, channel, text: rest.slice(0, room), ...more }
      this.#push(row)
      this.#open.set(channel, row)
      rest = rest.slice(room)
      isFirst = false
    } while (rest !== "")
  }

  /** Adds a text to a row; what it has no room for is further rows. */
  #continue(channel: Written, row: OutputRow, text: string, key: string): void {
    const at = this.#rows.lastIndexOf(row)
    const room = fitting(text, longest - row.text.length)
    const longer = { ...row, text: row.text + text.slice(0, room) }
    if (at !== -1) this.#rows[at] = longer
    this.#open.set(channel, longer)
    if (text.length > room) this.#begin(channel, text.slice(room), key, true)
  }
}
