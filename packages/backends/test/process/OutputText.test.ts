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

/** Decodes the pieces of one stream whose program ends then, and writes more before another end. */
const decodedToEnd = (before: ReadonlyArray<number>, after: ReadonlyArray<number> = []): ReadonlyArray<Event.Event> => {
  const events: Array<Event.Event> = []
  const { listener, onBytes } = OutputText.make({ emit: (event: Event.Event) => void events.push(event) })
  onBytes("stdout", Uint8Array.from(before))
  listener.emit({ _tag: "Exited", exit_code: 0 })
  onBytes("stdout", Uint8Array.from(after))
  listener.emit({ _tag: "Terminated" })
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

  it("has the bytes of an incomplete character before the end of the program", () => {
    const exited: Event.Event = { _tag: "Exited", exit_code: 0 }
    const last: Output = { _tag: "Output", channel: "stdout", text: "\ufffd", written: 2 }
    const first: Output = { _tag: "Output", channel: "stdout", text: "a" }
    assert.deepStrictEqual(decodedToEnd([0x61, 0xe2, 0x82]), [first, last, exited, { _tag: "Terminated" }])
    assert.deepStrictEqual(decodedToEnd([0x61], [0xe2, 0x82]), [first, exited, last, { _tag: "Terminated" }])
  })

  it("has its byte order mark", () => {
    assert.deepStrictEqual(decoded([0xef, 0xbb, 0xbf, 0x61]), [{ _tag: "Output", channel: "stdout", text: "\ufeffa" }])
  })

  it.prop(
    "has as many bytes as were written, once all are characters",
    [Schema.Array(Schema.Array(Schema.Int))],
    ([all]) => {
      const pieces = [...all.map((piece) => piece.map((byte) => Math.abs(byte) % 256)), [0x61, 0x61, 0x61, 0x61]]
      const total = decoded(...pieces).reduce((sum, event) => sum + sizeOf(event), 0)
      assert.strictEqual(total, pieces.flat().length)
    }
  )
})
