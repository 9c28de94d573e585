// The text of a program's output, and the number of bytes that the program wrote.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Event } from "@sigtrap/protocol"
import * as OutputText from "../../src/process/OutputText.ts"

type Output = Extract<Event.Event, { readonly _tag: "Output" }>

/** Decodes pieces of one stream. */
const decoded = (...pieces: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<Output> => {
  const events: Array<Output> = []
  const write = OutputText.decoders((event) => {
    if (event._tag === "Output") events.push(event)
  })
  for (const piece of pieces) write("stdout", Uint8Array.from(piece))
  return events
}

const sizeOf = ({ text, written }: Output) => written ?? new TextEncoder().encode(text).length

describe("the output of a program", () => {
  it("has the size of its text, unless bytes were replaced", () => {
    assert.deepStrictEqual(decoded([0x61, 0xc3, 0xa9]), [{ _tag: "Output", channel: "stdout", text: "aé" }])
    assert.deepStrictEqual(decoded([0x61, 0xff, 0xfe, 0x62]), [
      { _tag: "Output", channel: "stdout", text: "a\ufffd\ufffdb", written: 4 }
    ])
    assert.deepStrictEqual(decoded([0xef, 0xbf, 0xbd]), [{ _tag: "Output", channel: "stdout", text: "\ufffd" }])
  })

  it("counts a character of two pieces once", () => {
    assert.deepStrictEqual(decoded([0xff, 0xe2, 0x82], [0xac, 0xff]).map(sizeOf), [1, 4])
    assert.deepStrictEqual(decoded([0xe0, 0x80], [0xff]).map(sizeOf), [2, 1])
  })

  it.prop(
    "has as many bytes as were written, once all are characters",
    [Schema.Array(Schema.Array(Schema.Int))],
    ([all]) => {
      const pieces = [...all.map((piece) => piece.map((byte) => Math.abs(byte) % 256)), [0x61, 0x61, 0x61, 0x61]]
      // The decoder drops a byte order mark at the start.
      const events = decoded([0x61], ...pieces)
      const total = events.reduce((sum, event) => sum + sizeOf(event), 0)
      assert.strictEqual(total, 1 + pieces.flat().length)
    }
  )
})
