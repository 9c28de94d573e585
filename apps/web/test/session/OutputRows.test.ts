import { assert, describe, it } from "@effect/vitest"
import type { OutputPiece } from "../../src/session/Session.ts"
import { outputRows } from "../../src/session/OutputRows.ts"

const piece = (seq: number, text: string, channel: "stdout" | "stderr" | "console" = "stdout"): OutputPiece => ({
  type: "output",
  session: "app",
  seq,
  time: 0,
  channel,
  text
})

const texts = (pieces: ReadonlyArray<OutputPiece>) =>
  outputRows(pieces).map(({ channel, text }) => `${channel} ${text}`)

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

  it("shows control characters as signs, and leaves out what the debugger writes", () => {
    assert.deepStrictEqual(texts([piece(1, "\u001b[31mred\n"), piece(2, "(lldb)", "console")]), ["stdout ␛[31mred"])
  })

  it("says where entries were dropped, and is bounded", () => {
    assert.deepStrictEqual(texts([{ type: "dropped", count: 1200, seq: 4 }]), [
      "gap 1,200 older entries were dropped here."
    ])
    assert.strictEqual(outputRows([piece(1, "x\n".repeat(9000))]).length, 5000)
  })
})
