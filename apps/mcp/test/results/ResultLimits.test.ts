import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ResultLimits from "../../src/results/ResultLimits.ts"

it("keeps a small result unchanged", () => {
  const data = { variables: [{ name: "n", value: "3" }] }
  assert.deepStrictEqual(ResultLimits.fit(data, "data"), { data, cuts: [] })
})

it("cuts a text at 4096 characters and lists the cut", () => {
  const { data, cuts } = ResultLimits.fit({ value: "x".repeat(5000) }, "data")
  assert.deepStrictEqual(data, { value: `${"x".repeat(4096)}…` })
  assert.deepInclude(cuts[0], { path: "data.value", shown: 4096, total: 5000 })
})

it("does not split a surrogate pair", () => {
  assert.strictEqual(ResultLimits.cutText(`${"x".repeat(4095)}😀`, 4096), `${"x".repeat(4095)}…`)
})

it("halves the largest list until the result fits and keeps its first items", () => {
  const frames = Array.from({ length: 5000 }, (_, index) => ({ index, function: "f".repeat(40) }))
  const { data, cuts } = ResultLimits.fit({ thread: { id: 1 }, frames }, "data")
  assert.isAtMost(JSON.stringify(data).length, ResultLimits.resultLimit)
  assert.deepInclude(cuts[0], { path: "data.frames", total: 5000 })
  assert.deepEqual(Object(data).frames[0], frames[0])
  assert.deepEqual(Object(data).thread, { id: 1 })
})

it.prop("a bounded result is within the limit whatever its form", [Schema.Json], ([data]) => {
  const { data: fitting } = ResultLimits.fit({ data, more: [data, data, data] }, "data", 400)
  const size = JSON.stringify(fitting).length
  const smallest = JSON.stringify(ResultLimits.fit(fitting, "data", 0).data).length
  return size <= 400 || size <= smallest
})
