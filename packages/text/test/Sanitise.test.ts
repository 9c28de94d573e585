// What a terminal would obey, hide or reorder is shown instead.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Sanitise from "../src/Sanitise.ts"

describe("text from outside", () => {
  it.each([
    ["\u001b[31mred\u001b]0;title\u0007", String.raw`\x1b[31mred\x1b]0;title\x07`],
    ["a\u0000b\u007f", String.raw`a\x00b\x7f`],
    ["\u009b31m\u0085", String.raw`\x9b31m\x85`],
    ["user\u202etxt.exe\u2066", String.raw`user\u202etxt.exe\u2066`],
    ["zero\u200bwidth\u200d\ufeff", String.raw`zero\u200bwidth\u200d\ufeff`],
    ["tag\u{e0041}\u{e007f}", String.raw`tag\u{e0041}\u{e007f}`],
    ["lone\ud800surrogate", String.raw`lone\ud800surrogate`],
    ["line\u2028separator", String.raw`line\u2028separator`],
    ["one\r\ntwo\tthree", "one\\r\ntwo\tthree"],
    ["Grüße, 世界, مرحبا, 😀, e\u0301", "Grüße, 世界, مرحبا, 😀, e\u0301"]
  ])("%j becomes %j", (input, expected) => {
    assert.strictEqual(Sanitise.text(input), expected)
  })

  it("is one line with detail line", () => {
    assert.strictEqual(Sanitise.line("a\nb\u0007"), String.raw`a\nb\x07`)
  })

  it("is sanitised at every depth of data, also in keys", () => {
    assert.deepStrictEqual(Sanitise.deep({ "k\u0007": ["\u001b", { n: 1, b: null }] }), {
      "k\\x07": ["\\x1b", { n: 1, b: null }]
    })
  })

  const harmless = (text: string) =>
    !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u.test(
      text
    )
  const anything = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0x10_ffff })))
  const low = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0x20ff })))

  for (const [name, codes] of [
    ["any characters", anything],
    ["many control characters", low]
  ] as const) {
    it.prop(
      `with ${name} has none that act, does not change when cleaned again, and keeps what can be printed`,
      [codes],
      ([points]) => {
        const input = String.fromCodePoint(...points)
        const once = Sanitise.text(input)
        assert.isTrue(harmless(once))
        assert.strictEqual(Sanitise.text(once), once)
        const printable = /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}\p{M}\n\t]*$/u
        const ignorable = /\p{Default_Ignorable_Code_Point}/u
        for (const character of input) {
          if (printable.test(character) && !ignorable.test(character)) assert.include(once, character)
        }
      }
    )
    it.prop(`with ${name} means the same in JSON`, [codes], ([points]) => {
      const input = String.fromCodePoint(...points)
      const json = Sanitise.json(JSON.stringify(input))
      assert.isTrue(harmless(json))
      assert.strictEqual(JSON.parse(json), JSON.parse(JSON.stringify(input)))
    })
  }
})
