import { assert, it } from "@effect/vitest"
import { TextMemo } from "../../src/runtime/TextMemo.ts"

it("a memo keeps the newest values, and none of a long text", () => {
  const memo = new TextMemo<number>({ entries: 2, characters: 3 })
  for (const [index, text] of ["a", "b", "long", "c"].entries()) memo.set(text, index)
  assert.deepStrictEqual(
    ["a", "b", "long", "c"].map((text) => memo.get(text)),
    [undefined, 1, undefined, 3]
  )
})
