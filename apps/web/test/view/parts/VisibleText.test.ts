import { assert, describe, it } from "@effect/vitest"
import { visibleText } from "../../../src/view/parts/VisibleText.ts"

describe("texts of the page", () => {
  it("show what a browser hides or reorders, in the same length", () => {
    for (const [text, shown] of [
      ["total = 1\n\tnext\r\n", "total = 1\n\tnext\r\n"],
      ["grüße → 値 🙂", "grüße → 値 🙂"],
      ["\u001b[31mred\u0007", "␛[31mred␇"],
      ["del\u007f", "del␡"],
      ["admin\u202e)(nimda\u2066", "admin�)(nimda�"],
      ["a\u200bb\ufeff\u00ad\u2028", "a�b���"],
      ["tag\u{e0041}", "tag��"],
      ["half \ud800", "half �"]
    ] as const) {
      assert.strictEqual(visibleText(text), shown)
      assert.strictEqual(visibleText(text).length, text.length)
      assert.strictEqual(visibleText(visibleText(text)), visibleText(text))
    }
  })
})
