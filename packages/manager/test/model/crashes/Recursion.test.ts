import { assert, describe, it } from "@effect/vitest"
import * as Recursion from "../../../src/model/crashes/Recursion.ts"

const repeated = (names: ReadonlyArray<string>, count: number) => Array.from({ length: count }, () => names).flat()

describe("a recursion", () => {
  it("is one function that calls itself, or several that call each other", () => {
    assert.deepStrictEqual(Recursion.cycleOf(repeated(["walk"], 20)), ["walk"])
    assert.deepStrictEqual(Recursion.cycleOf(repeated(["even", "odd"], 10)), ["even", "odd"])
    assert.deepStrictEqual(Recursion.cycleOf(["hash", ...repeated(["a", "b", "c"], 6)]), ["a", "b", "c"])
  })

  it("is none where the order changes or the stack is short", () => {
    assert.isUndefined(Recursion.cycleOf(["a", "b", "a", "a", "b", "c", "b", "a", "c", "c", "a", "b", "b", "a"]))
    assert.isUndefined(Recursion.cycleOf(repeated(["walk"], 4)))
  })

  it("names each function once", () => {
    assert.strictEqual(Recursion.textOf(["walk"]), "walk calls itself")
    assert.strictEqual(Recursion.textOf(["even", "odd"]), "even and odd call each other")
    assert.strictEqual(Recursion.textOf(["a", "b", "a", "c"]), "a, b and c call each other")
  })
})
