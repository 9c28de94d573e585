import { assert, describe, it } from "@effect/vitest"
import { withShortDecimals } from "../../../src/session/words/Decimals.ts"
import { inlineValues } from "../../../src/session/source/InlineValues.ts"
import { valueWords } from "../../../src/session/words/ValueWords.ts"

describe("decimals", () => {
  it("are shown with the digits that read back as the same value", () => {
    const shown = (value: string) => valueWords({ name: "d", type: "double", value })
    assert.strictEqual(shown("0.10000000000000001"), "0.1")
    assert.strictEqual(shown("-100.09999999999999"), "-100.1")
    assert.strictEqual(shown("9.9999999999999995E-8"), "1e-7")
    assert.strictEqual(shown("30.75"), "30.75")
    // The next value above 0.3 is another one.
    assert.strictEqual(shown("0.30000000000000004"), "0.30000000000000004")
    assert.strictEqual(shown("0.29999999999999999"), "0.3")
    for (const value of [Math.PI, 1 / 3, 2 ** 60 + 0.5, 1e300 / 7, 5e-324])
      assert.strictEqual(Number(withShortDecimals(value.toPrecision(17))), value)
  })

  it("are shown so inside another value, but not in texts", () => {
    assert.strictEqual(
      withShortDecimals('{x:0.10000000000000001, s:"0.10000000000000001", y:1.1000000000000001}', "point"),
      '{x:0.1, s:"0.10000000000000001", y:1.1}'
    )
    assert.strictEqual(withShortDecimals("size=2 {0.10000000000000001, 2}", "std::vector<double>"), "size=2 {0.1, 2}")
    assert.strictEqual(withShortDecimals("12345678901234567.5.1"), "12345678901234567.5.1")
    assert.strictEqual(withShortDecimals("1234567890.1234567s"), "1234567890.1234567s")
    assert.strictEqual(withShortDecimals("1.2345678901234567e+16"), "1.2345678901234567e+16")
  })

  it("keep their digits in numbers that are wider or narrower than a double, or may be", () => {
    assert.strictEqual(withShortDecimals("0.10000000000000001", "long double"), "0.10000000000000001")
    assert.strictEqual(withShortDecimals("{0.10000000000000001}", "std::vector<long double>"), "{0.10000000000000001}")
    assert.strictEqual(withShortDecimals("0.100000000000000000001"), "0.100000000000000000001")
    assert.strictEqual(withShortDecimals("0.100000001", "float"), "0.100000001")
    assert.strictEqual(withShortDecimals("0.100000001", "f32"), "0.1")
    assert.strictEqual(withShortDecimals("16777216", "f32"), "16777216")
  })

  it("are short at the ends of source lines too, also those of the stop before", () => {
    const value = { name: "d", type: "double", value: "0.10000000000000001", changed: true, old: "0.29999999999999999" }
    const lines = inlineValues(() => "d += 0.1;", [1], 1, [{ value, members: [], isOld: false }])
    assert.deepStrictEqual(lines.get(1), [
      { name: "d", value: "0.1", old: "0.3", whole: "0.10000000000000001 was 0.29999999999999999" }
    ])
  })
})
