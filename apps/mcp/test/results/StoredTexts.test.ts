// The texts that a server keeps for later pages are limited in number and size.
import { assert, it } from "@effect/vitest"
import * as StoredTexts from "../../src/results/StoredTexts.ts"

it("the newest 16 texts are kept", () => {
  const texts = StoredTexts.make()
  const ids = Array.from({ length: 20 }, (_, at) => texts.store(`text ${at}`))
  assert.deepStrictEqual(
    ids.map((id) => texts.page(id, 0)?.text),
    Array.from({ length: 20 }, (_, at) => (at < 4 ? undefined : `text ${at}`))
  )
})

it("all texts have at most 4 Mi characters, and a longer one is cut", () => {
  const texts = StoredTexts.make()
  const large = texts.store("x".repeat(5_000_000))
  assert.strictEqual(texts.page(large, 0)?.total, 4_194_304)
  const next = texts.store("y")
  assert.isUndefined(texts.page(large, 0))
  assert.strictEqual(texts.page(next, 0)?.text, "y")
})
