/**
 * The output of a program as rows: one for each line.
 */
import type { OutputPiece } from "./Session.ts"

/** A row: a line of a channel, or a sentence about output that is not kept. */
interface OutputRow {
  readonly key: string
  readonly channel: string
  readonly text: string
}

/** Most rows that are kept. */
const kept = 5000

/** Shows control characters as text: `\u001b` becomes `␛`. */
const visible = (text: string): string =>
  text.replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, (character) =>
    String.fromCodePoint(0x2400 + (character.codePointAt(0) ?? 0))
  )

/** Returns the lines of output. A line that is not complete is continued by the next piece of its channel. */
export const outputRows = (pieces: ReadonlyArray<OutputPiece>): ReadonlyArray<OutputRow> => {
  const rows: Array<OutputRow> = []
  const open = new Map<string, number>()
  for (const piece of pieces) {
    if (piece.type === "dropped") {
      rows.push({
        key: `d${piece.seq}`,
        channel: "gap",
        text: `${piece.count.toLocaleString("en")} older entries were dropped here.`
      })
      continue
    }
    if (piece.channel !== "stdout" && piece.channel !== "stderr") continue
    const lines = piece.text.split("\n")
    lines.forEach((line, at) => {
      const known = at === 0 ? open.get(piece.channel) : undefined
      const last = at === lines.length - 1
      const row = known === undefined ? undefined : rows[known]
      if (row !== undefined && known !== undefined) rows[known] = { ...row, text: row.text + visible(line) }
      else if (!last || line !== "")
        rows.push({ key: `${piece.seq}.${at}`, channel: piece.channel, text: visible(line) })
      if (!last) open.delete(piece.channel)
      else if (line !== "") open.set(piece.channel, known ?? rows.length - 1)
    })
  }
  return rows.slice(-kept)
}
