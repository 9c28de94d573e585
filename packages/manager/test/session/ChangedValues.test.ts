import { assert, it } from "@effect/vitest"
import { same } from "../../src/session/ChangedValues.ts"

it.each([
  ["1", "1", true],
  ["1", "2", false],
  ["<masked>", "2", true],
  ['{id:1, name:"a", ...}', '{id:1, name:"a", score:2}', true],
  ["{id:1, ...}", '{id:1, name:"a", ...}', true],
  ["{...}", "{id:1}", true],
  ["{id:2, ...}", '{id:1, name:"a", score:2}', false],
  ["0x10 {id:1, ...}", "0x20 {id:1, score:2}", false]
])("of %s and %s it is known whether they are the same: %s", (a, b, expected) => {
  assert.strictEqual(same(a, b), expected)
  assert.strictEqual(same(b, a), expected)
})
