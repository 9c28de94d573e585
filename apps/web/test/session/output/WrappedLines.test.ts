import { assert, describe, it } from "@effect/vitest"
import { linesOf } from "../../../src/session/output/WrappedLines.ts"

describe("the lines of a text", () => {
  it("are those of a terminal", () => {
    for (const [text, columns, lines] of [
      ["", 10, 1],
      ["0123456789", 10, 1],
      ["0123456789a", 10, 2],
      ["a b ".repeat(10), 10, 4],
      ["\ta", 10, 1],
      ["\tabc", 10, 2],
      ["漢字漢字漢", 10, 1],
      ["漢字漢字漢字", 10, 2],
      ["é".repeat(11), 10, 2],
      ["漢", 1, 1]
    ] as const)
      assert.strictEqual(linesOf(text, columns), lines, text)
  })
})
