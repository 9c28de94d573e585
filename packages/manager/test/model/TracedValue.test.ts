import { assert, describe, it } from "@effect/vitest"
import { textOf } from "../../src/model/TracedValue.ts"

const field = (kind: "signed" | "unsigned" | "bool" | "pointer", size: number) => ({
  base: "frame" as const,
  offset: 0n,
  size,
  kind
})

describe("the text of a value that a debug server has read", () => {
  it("is that of print", () => {
    assert.strictEqual(textOf(field("signed", 4), new Uint8Array([0xfe, 0xff, 0xff, 0xff])), "-2")
    assert.strictEqual(textOf(field("unsigned", 2), new Uint8Array([0xfe, 0xff])), "65534")
    assert.strictEqual(textOf(field("signed", 8), new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0x80])), "-9223372036854775808")
    assert.strictEqual(
      textOf(field("pointer", 8), new Uint8Array([0x34, 0x12, 0, 0, 0, 0, 0, 0])),
      "0x0000000000001234"
    )
    assert.strictEqual(textOf(field("bool", 1), new Uint8Array([1])), "true")
  })

  it("is unknown for other bytes", () => {
    assert.strictEqual(textOf(field("bool", 1), new Uint8Array([2])), "<unknown>")
    assert.strictEqual(textOf(field("signed", 4), new Uint8Array([1, 2])), "<unknown>")
  })
})
