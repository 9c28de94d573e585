import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Field } from "../src/index.ts"

describe("a duration", () => {
  const rows: ReadonlyArray<readonly [text: string, millis: number]> = [
    ["0", 0],
    ["30", 30_000],
    ["30s", 30_000],
    ["500ms", 500],
    ["1.5s", 1500],
    ["0.001s", 1],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["inf", Number.POSITIVE_INFINITY]
  ]
  for (const [text, millis] of rows) {
    it(`${text} is ${millis} ms`, () => {
      assert.isTrue(Schema.is(Field.Duration)(text))
      assert.strictEqual(Field.millis(text), millis)
    })
  }

  for (const text of ["", "s", "-1s", "1d", "1 s", "1e3", "0x10", "soon", "1s ", ".5s", "1.s", "infinity"]) {
    it(`${JSON.stringify(text)} is none`, () => {
      assert.isFalse(Schema.is(Field.Duration)(text))
      assert.strictEqual(Field.millis(text), 0)
    })
  }

  const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999_999 }))
  it.prop("is the same in seconds and milliseconds", [Seconds], ([seconds]) => {
    assert.strictEqual(Field.millis(`${seconds}s`), Field.millis(`${seconds * 1000}ms`))
    assert.strictEqual(Field.millis(`${seconds}`), Field.millis(`${seconds}s`))
  })
})
