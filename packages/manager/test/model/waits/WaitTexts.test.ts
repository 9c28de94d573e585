import { assert, it } from "@effect/vitest"
import type { Explanation } from "@sigtrap/protocol"
import * as WaitTexts from "../../../src/model/waits/WaitTexts.ts"

const cycle = (count: number): ReadonlyArray<Explanation.CycleEdge> =>
  Array.from({ length: count }, (_, at) => ({
    thread: { id: at + 1 },
    waits_for: "mutex",
    held_by: { id: ((at + 1) % count) + 1 }
  }))

it("names the first threads of a long cycle, and counts the others", () => {
  assert.strictEqual(WaitTexts.summaryOf(4, [], [cycle(3)]), "threads 1, 2 and 3 of 4 wait for each other")
  assert.strictEqual(
    WaitTexts.summaryOf(301, [], [cycle(300)]),
    "threads 1, 2, 3, 4, 5, 6, 7, 8 and 292 others of 301 wait for each other"
  )
})

it("denies a cycle only if the owners were read", () => {
  const wait: Explanation.Wait = { threads: [{ id: 1 }], count: 1, kind: "runs", text: "runs", stack: [], by: [] }
  assert.strictEqual(WaitTexts.summaryOf(2, [wait], []), "1 of 2 threads runs; no cycle of waiting threads")
  assert.strictEqual(WaitTexts.summaryOf(2, [wait], [], undefined, false), "1 of 2 threads runs")
})
