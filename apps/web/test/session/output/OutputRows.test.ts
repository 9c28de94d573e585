import { assert, describe, it } from "@effect/vitest"
import type { OutputPiece } from "../../../src/session/output/OutputRows.ts"
import type { EventLine } from "../../../src/connection/Answers.ts"
import { foundWords, OutputRows } from "../../../src/session/output/OutputRows.ts"

const piece = (
  seq: number,
  text: string,
  channel: "stdout" | "stderr" | "log" | "console" = "stdout"
): OutputPiece => ({
  type: "output",
  session: "app",
  seq,
  time: 0,
  channel,
  text
})

const rowsOf = (...lines: ReadonlyArray<OutputPiece | EventLine>) => {
  const rows = new OutputRows()
  for (const line of lines) {
    if (line.type === "event") rows.mark(line)
    else rows.add(line)
  }
  return rows
}

const texts = (pieces: ReadonlyArray<OutputPiece | EventLine>) =>
  rowsOf(...pieces).rows.map(({ channel, stop, text }) => `${channel} ${stop ?? text}`)

const event = (seq: number, stop: number, more: EventLine["event"]): EventLine => ({
  type: "event",
  session: "app",
  seq,
  stop,
  time: 0,
  event: more
})

const stopped = (seq: number, stop: number) =>
  event(seq, stop, { _tag: "Stopped", reason: "step", raw_reason: "step", breakpoints: [], focus: true })

describe("output", () => {
  it("is shown by line; a piece continues the line of its channel", () => {
    assert.deepStrictEqual(texts([piece(1, "a\nb"), piece(2, "!", "stderr"), piece(3, "c\n\nd\n")]), [
      "stdout a",
      "stdout bc",
      "stderr !",
      "stdout ",
      "stdout d"
    ])
  })

  it("has the messages of logpoints, and not the output of the debugger", () => {
    const rows = rowsOf(piece(1, "a\n"), piece(2, "i is 0\ni is 1\n", "log"), piece(3, "loaded\n", "console"))
    assert.deepStrictEqual(
      rows.rows.map(({ channel, text }) => `${channel} ${text}`),
      ["stdout a", "log i is 0", "log i is 1"]
    )
    assert.strictEqual(rows.lines, 3)
  })

  it("divides a very long line into rows of a bounded length, and counts it once", () => {
    const line = "0123456789".repeat(100_000)
    const parts = Array.from({ length: 250 }, (_, at) => piece(at + 1, line.slice(at * 4000, (at + 1) * 4000)))
    const rows = rowsOf(...parts, piece(251, "\nnext\n"))
    assert.strictEqual(rows.rows.length, 101)
    assert.isTrue(rows.rows.every(({ text }) => text.length <= 10_000))
    assert.strictEqual(
      rows.rows
        .slice(0, -1)
        .map(({ text }) => text)
        .join(""),
      line
    )
    assert.strictEqual(rows.rows.at(-1)?.text, "next")
    assert.strictEqual(rows.lines, 2)
    assert.strictEqual(new Set(rows.rows.map(({ key }) => key)).size, 101)
    // No character is divided.
    const signs = rowsOf(piece(1, `a${"\u{1f600}".repeat(10_000)}`)).rows
    assert.deepStrictEqual(
      signs.map(({ text }) => [text.length, text.isWellFormed()]),
      [
        [9999, true],
        [10_000, true],
        [2, true]
      ]
    )
  })

  it("shows control characters as signs, and leaves out what the debugger writes", () => {
    assert.deepStrictEqual(texts([piece(1, "\u001b[31mred\n"), piece(2, "(lldb)", "console")]), ["stdout ␛[31mred"])
  })

  it("shows what follows a stop below it, also of a line that began above, and counts that line once", () => {
    const rows = rowsOf(piece(1, "ask> "), stopped(2, 1), piece(3, "child\nend"), stopped(4, 2), piece(5, "\nlast\n"))
    assert.deepStrictEqual(
      rows.rows.map(({ stop, text }) => stop ?? text),
      ["ask> ", 1, "child", "end", 2, "last"]
    )
    assert.strictEqual(rows.lines, 3)
  })

  it("says where entries were dropped, and is bounded", () => {
    assert.deepStrictEqual(texts([{ type: "dropped", count: 1200, seq: 4 }]), [
      "gap 1,200 older entries were dropped here."
    ])
    const sizes = [1, 812, 999, 1000, 63_900, 999_499, 999_500, 2_149_000, 12_400_000, 3_000_000_000]
    assert.deepStrictEqual(
      sizes.flatMap((bytes) => texts([{ type: "dropped", count: 7, bytes, seq: 4 }])),
      ["1 byte", "812 bytes", "999 bytes", "1 KB", "64 KB", "999 KB", "1 MB", "2.1 MB", "12 MB", "3 GB"].map(
        (size) => `gap ${size} of output was dropped here.`
      )
    )
    assert.deepStrictEqual(texts([{ type: "dropped", count: 7, bytes: 0, seq: 4 }]), [])
    const rows = rowsOf(...Array.from({ length: 90 }, (_, at) => piece(at, "x\n".repeat(100))))
    assert.isAtMost(rows.rows.length, 6000)
    assert.strictEqual(rows.lines, 9000)
  })

  it("says how many lines it has removed, below the newest place where entries were dropped", () => {
    const many = (seq: number, count: number) => piece(seq, "line\n".repeat(count))
    const dropped = { type: "dropped", count: 7, seq: 2 } as const
    const found = texts([many(1, 100), dropped, many(3, 6000), many(4, 1100)])
    const shown = found.filter((row) => row === "stdout line").length
    assert.isAtMost(shown, 6000)
    assert.deepStrictEqual(found.slice(0, 3), [
      "gap 7 older entries were dropped here.",
      `gap ${(7200 - shown).toLocaleString("en")} older lines are not shown.`,
      "stdout line"
    ])
  })

  it("marks where the program stopped and ended, once where nothing was written between", () => {
    assert.deepStrictEqual(
      texts([
        stopped(1, 1),
        piece(2, "a\n"),
        stopped(3, 2),
        stopped(4, 3),
        piece(5, "b\n"),
        event(6, 3, { _tag: "Exited", exit_code: 3 })
      ]),
      ["stdout a", "stop 3", "stdout b", "end The program ended with exit code 3."]
    )
  })
})

it("lines are found among those that are kept", () => {
  const words = (count: number, found: string) => {
    const { lines, rows } = rowsOf(
      ...Array.from({ length: count }, (_, at) => piece(at + 1, `line ${at}\n`)),
      stopped(count + 1, 1)
    )
    return foundWords(
      rows.filter(({ channel, text }) => channel === "gap" || text.includes(found)),
      rows,
      lines
    )
  }
  assert.strictEqual(words(120, "line 11"), "11 of 120 lines")
  assert.strictEqual(words(1, "line 0"), "1 of 1 line")
  assert.strictEqual(words(20_000, "line 500"), "0 of the newest 4,999 lines")
})
