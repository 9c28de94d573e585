import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as MemoryWords from "../../src/model/MemoryWords.ts"

const bytes = (...all: ReadonlyArray<number>) => Uint8Array.from(all)

describe("memory", () => {
  it("is written as little-endian words in every format", () => {
    const check = (data: Uint8Array, size: MemoryWords.Size, format: string, expected: ReadonlyArray<string>) =>
      assert.deepStrictEqual(
        MemoryWords.words(data, size, MemoryWords.formatOf(format) ?? "hex", []),
        expected,
        `${format} ${size}`
      )
    check(bytes(1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff), 4, "x", ["0x00000001", "0xffffffff"])
    check(bytes(1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff), 4, "d", ["1", "-1"])
    check(bytes(0xff, 0xff), 2, "unsigned", ["65535"])
    check(bytes(8), 1, "o", ["010"])
    check(bytes(5), 1, "t", ["0b00000101"])
    check(bytes(0x41, 0), 1, "c", ["'A'", "'\\x00'"])
    check(bytes(0, 0, 0x80, 0x3f), 4, "f", ["1"])
    check(bytes(0x10, 0x20, 0, 0, 0, 0, 0, 0), 8, "a", ["0x2010"])
    check(bytes(0x61, 0x62, 0, 0x63), 1, "s", ['"ab"', '"c"…'])
    check(bytes(1, 2, 3), 2, "x", ["0x0201"])
  })

  it("has ?? for words with an unreadable byte", () => {
    assert.deepStrictEqual(MemoryWords.words(bytes(1, 0, 0, 0, 0, 0), 2, "decimal", [[3, 6]]), ["1", "??", "??"])
  })

  it("refuses numbers that do not fit, and text that is not a number", () => {
    assert.isTrue(Result.isFailure(MemoryWords.encoded("256", 1)))
    assert.isTrue(Result.isFailure(MemoryWords.encoded("-129", 1)))
    assert.isTrue(Result.isFailure(MemoryWords.encoded("01ff", 8)))
    assert.isTrue(Result.isFailure(MemoryWords.encoded("1.5", 8)))
  })
})

it.prop(
  "a number that fits comes back as it was written",
  [Schema.Int.check(Schema.isBetween({ minimum: -128, maximum: 127 })), Schema.Literals(MemoryWords.sizes)],
  ([value, size]) => {
    const encoded = MemoryWords.encoded(`${value}`, size)
    assert.isTrue(Result.isSuccess(encoded))
    if (Result.isFailure(encoded)) return
    assert.strictEqual(encoded.success.length, size)
    assert.deepStrictEqual(MemoryWords.words(encoded.success, size, "decimal", []), [`${value}`])
  }
)
