// JSON text is measured without being parsed, and only as far as its first excess.
import { assert, describe, it } from "@effect/vitest"
import { JsonSize } from "../../src/index.ts"

const limits = { values: 10, depth: 3 }
const excess = (value: unknown) => JsonSize.excess(JSON.stringify(value), limits)

describe("the size of JSON text", () => {
  it("is that of its values, not of its strings", () => {
    assert.isUndefined(excess({ a: [1, 2, 3], b: "x".repeat(1000) }))
    assert.isUndefined(excess([",".repeat(50), "[{".repeat(50), '"'.repeat(50), "\\".repeat(51), '\\"'.repeat(50)]))
    assert.strictEqual(excess(Array.from({ length: 12 }, () => "\\")), "values")
    assert.strictEqual(excess(Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`k${n}`, n]))), "values")
  })

  it("has levels", () => {
    assert.isUndefined(excess([[[1]], [[2]]]))
    assert.strictEqual(excess([[[[1]]]]), "depth")
    assert.strictEqual(excess({ a: { b: { c: {} } } }), "depth")
  })

  it("ends at a string that is not closed, and at the first excess", () => {
    assert.isUndefined(JsonSize.excess(`["${",".repeat(100)}`, limits))
    assert.strictEqual(JsonSize.excess(`${"[".repeat(4)}"${"x".repeat(10)}`, limits), "depth")
  })
})
