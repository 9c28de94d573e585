/** The comparison of recorded paths. */
import { assert, describe, it } from "@effect/vitest"
import * as PathComparison from "../../../src/model/runs/PathComparison.ts"
import type { PathEntry, Recording } from "../../../src/ports/PathRecorder.ts"

/** A path that enters functions by their letters; a capital is the same function called from elsewhere. */
const path = (text: string): ReadonlyArray<PathEntry> =>
  [...text].map((letter) => ({
    address: letter.toLowerCase().charCodeAt(0),
    caller: letter === letter.toLowerCase() ? 1 : 2
  }))

const recording = (entries: ReadonlyArray<PathEntry>, lines: ReadonlyArray<number> = []): Recording => ({
  places: [..."abc"].map((name) => ({
    address: name.charCodeAt(0),
    function: name,
    file: "/src/a.c",
    line: 1,
    column: 1
  })),
  entries,
  lines,
  reads: []
})

describe("two paths", () => {
  it("part at the first other function, or at the same function from another call", () => {
    const rows: ReadonlyArray<readonly [a: string, b: string, count: number]> = [
      ["", "", 0],
      ["", "a", 0],
      ["abc", "abc", 3],
      ["abc", "ab", 2],
      ["abca", "abcb", 3],
      ["aba", "abA", 2],
      ["b", "a", 0]
    ]
    for (const [a, b, count] of rows) {
      assert.strictEqual(PathComparison.commonEntries(path(a), path(b)), count, `${a} ${b}`)
      assert.strictEqual(PathComparison.commonEntries(path(b), path(a)), count, `${b} ${a}`)
    }
  })

  it("have lines and the next entry behind the last common one", () => {
    const a = PathComparison.stepsAfter(recording(path("abc"), [10, 11]), 2)
    const b = PathComparison.stepsAfter(recording(path("aba"), [10, 11]), 2)
    const shorter = PathComparison.stepsAfter(recording(path("ab"), [10, 11]), 2)
    const elsewhere = PathComparison.stepsAfter(recording(path("abC"), [10, 11]), 2)
    assert.strictEqual(a.length, 3)
    assert.strictEqual(PathComparison.commonSteps(a, a), 3)
    assert.strictEqual(PathComparison.commonSteps(a, b), 2)
    assert.strictEqual(PathComparison.commonSteps(a, shorter), 2)
    assert.strictEqual(PathComparison.commonSteps(a, elsewhere), 2)
    const other = PathComparison.stepsAfter(recording(path("abc"), [10, 12]), 2)
    assert.strictEqual(PathComparison.commonSteps(a, other), 1)
  })

  it("count the calls of a function", () => {
    assert.strictEqual(PathComparison.callsOf("a", recording(path("abAab")), 4), 3)
    assert.strictEqual(PathComparison.callsOf("d", recording(path("abab")), 4), 0)
  })

  it("have the first other arguments that both have", () => {
    const entry = (values: ReadonlyArray<readonly [string, string]>): PathEntry => ({ address: 97, caller: 1, values })
    const a = [entry([["n", "1"]]), entry([["n", "2"]]), entry([["n", "3"]])]
    const b = [entry([["n", "1"]]), entry([["m", "2"]]), entry([["n", "4"]])]
    const found = PathComparison.otherArguments(a, b, () => false)
    assert.deepStrictEqual(found, { index: 2, vars: [{ path: "n", old: "3", new: "4" }] })
    assert.isUndefined(PathComparison.otherArguments(a, b, (name) => name === "n"))
    assert.isUndefined(PathComparison.otherArguments(a, [{ address: 98, caller: 1 }], () => false))
  })
})
