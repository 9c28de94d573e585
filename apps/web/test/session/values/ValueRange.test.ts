import { assert, describe, it } from "@effect/vitest"
import { rangeOf, rangeWords, shortNumber } from "../../../src/session/values/ValueRange.ts"

describe("the range of a value", () => {
  it("has its extremes, and the first and the last stop", () => {
    assert.isUndefined(rangeOf([]))
    const range = rangeOf([
      [2, 10],
      [4, -3],
      [7, 30],
      [9, 30]
    ])
    assert.deepStrictEqual(range, { low: [4, -3], high: [7, 30], first: 2, last: 9 })
    assert.strictEqual(range && rangeWords(range), "from -3 to 30, stops 2 to 9")
  })

  it("of one number has no extremes", () => {
    const range = rangeOf([
      [1, 4],
      [2, 4]
    ])
    assert.strictEqual(range && rangeWords(range), "always 4, stops 1 to 2")
  })

  it("has short numbers beside the chart", () => {
    assert.strictEqual(shortNumber(0.1 + 0.2), "0.3")
    assert.strictEqual(shortNumber(-1_500_000), "-1500000")
  })
})
