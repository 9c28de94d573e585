import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Hex, Packet } from "../src/index.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (all: Uint8Array) => new TextDecoder().decode(all)

const anyBytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))).check(
  Schema.isMaxLength(300)
)
const sizes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))).check(Schema.isMaxLength(20))

const cut = (all: Uint8Array, by: ReadonlyArray<number>) => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0, turn = 0; at < all.length; turn++) {
    const size = by.length === 0 ? 1 : (by[turn % by.length] ?? 1)
    chunks.push(all.slice(at, at + size))
    at += size
  }
  return chunks
}

const decode = (chunks: ReadonlyArray<Uint8Array>) => {
  const decoder = new Packet.Decoder()
  return { items: chunks.flatMap((chunk) => decoder.push(chunk)), failure: decoder.failure }
}

const shown = (item: Packet.Item) => ("payload" in item ? `${item.kind} ${text(item.payload)}` : item.kind)

describe("packets", () => {
  it("are encoded as in the manual", () => {
    assert.strictEqual(text(Packet.encode("OK")), "$OK#9a")
    assert.strictEqual(text(Packet.encode("")), "$#00")
    assert.deepStrictEqual([...Packet.encode(new Uint8Array([0x7d]))], [...bytes("$}]#da")])
  })

  it.prop("come back whole, however their bytes are cut", [anyBytes, anyBytes, sizes], ([first, second, by]) => {
    const all = new Uint8Array([
      ...Packet.encode(new Uint8Array(first)),
      0x2b,
      ...Packet.encode(new Uint8Array(second))
    ])
    const { failure, items } = decode(cut(all, by))
    assert.isUndefined(failure)
    assert.deepStrictEqual(
      items.map((item) => ("payload" in item ? [...item.payload] : item.kind)),
      [[...first], "ack", [...second]]
    )
  })

  it.prop("never make the decoder fail otherwise than by its failure", [anyBytes, sizes], ([all, by]) => {
    const { items } = decode(cut(new Uint8Array(all), by))
    assert.isTrue(items.length <= all.length)
  })

  it.each([
    ["$0* #7a", ["packet 0000"]],
    ['$O4b*"00#91', ["packet O4bbbbbb00"]],
    ["$OK#9b", ["damaged"]],
    ["$OK#zz", ["damaged"]],
    ["$* #4a", ["damaged"]],
    ["+-\u0003", ["ack", "nack", "interrupt"]],
    ["%Stop:T05#99", ["notification Stop:T05"]],
    ["noise$OK#9a", ["packet OK"]],
    ["$OK", []],
    ["$OK#9", []]
  ])("reads %j", (input, expected) => {
    assert.deepStrictEqual(decode([bytes(input)]).items.map(shown), expected)
  })

  it("gives up after 4 KiB that are not packets", () => {
    assert.strictEqual(decode([new Uint8Array(5000).fill(65)]).failure?.reason, "noise")
  })

  it("gives up on a packet that never ends, in bounded memory", () => {
    const decoder = new Packet.Decoder()
    decoder.push(bytes("$"))
    for (let turn = 0; turn < 40 && decoder.failure === undefined; turn++)
      decoder.push(new Uint8Array(1024 * 1024).fill(65))
    assert.strictEqual(decoder.failure?.reason, "tooLarge")
  })

  it("refuses a run length that would exceed the limit", () => {
    assert.isUndefined(Packet.expand(bytes("0*~0*~0*~"), 100))
    assert.strictEqual(Packet.expand(bytes("0*~"), 100)?.length, 98)
  })
})

describe("numbers", () => {
  it.prop("come back from the bytes of memory", [anyBytes], ([all]) => {
    const some = new Uint8Array(all.slice(0, 16))
    for (const endian of ["little", "big"] as const) {
      assert.deepStrictEqual(Hex.fromBigInt(Hex.toBigInt(some, endian), some.length, endian), some)
    }
    assert.deepStrictEqual(Hex.decode(Hex.encode(some)), some)
  })

  it("of malformed digits are undefined", () => {
    assert.deepStrictEqual(
      [Hex.decode("0"), Hex.decode("xx"), Hex.number(""), Hex.number("g"), Hex.address("12345678123456781")],
      [undefined, undefined, undefined, undefined, undefined]
    )
  })
})
