import { assert, describe, it } from "@effect/vitest"
import { HitCount } from "../src/index.ts"

const stops = (text: string) => {
  const count = HitCount.parse(text)
  return count === undefined ? undefined : [1, 2, 3, 4, 5, 6].filter((hit) => HitCount.includes(count, hit))
}

describe("a count", () => {
  it.each([
    ["3", [3, 4, 5, 6]],
    ["==3", [3]],
    ["%3", [3, 6]],
    ["<3", [1, 2]],
    ["<=3", [1, 2, 3]],
    [">3", [4, 5, 6]],
    [">= 3", [3, 4, 5, 6]],
    ["0", [1, 2, 3, 4, 5, 6]]
  ])("%s chooses among six hits", (text, expected) => {
    assert.deepStrictEqual(stops(text), expected)
  })

  it.each(["", "%0", "=3", "x", "-1", "3.5", "==", "12345678901"])("is not %j", (text) => {
    assert.isUndefined(HitCount.parse(text))
  })
})
