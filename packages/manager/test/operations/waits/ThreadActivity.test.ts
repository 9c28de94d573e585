import { assert, describe, it } from "@effect/vitest"
import * as ThreadActivity from "../../../src/operations/waits/ThreadActivity.ts"

const counts = (one: number, other: number) =>
  new Map([
    [1, one],
    [2, other]
  ])

describe("ThreadActivity.between", () => {
  it("counts how often a thread ran that ran in both halves, and which ones ran at all", () => {
    const seen = ThreadActivity.between([counts(5, 7), counts(5, 8), counts(6, 12)], 200, false)
    assert.deepStrictEqual(seen, { millis: 200, ran: new Set([1, 2]), switches: new Map([[2, 5]]), isIdle: false })
  })

  it("says that no thread ran if no count grew and no thread appeared", () => {
    const same = counts(5, 7)
    assert.isTrue(ThreadActivity.between([same, same, same], 200, true)?.isIdle)
    assert.isFalse(ThreadActivity.between([new Map([[1, 5]]), same, same], 200, false)?.isIdle)
    assert.isFalse(ThreadActivity.between([new Map(), new Map(), new Map()], 200, false)?.isIdle)
  })

  it("says nothing if a stop that was not reported may have moved all threads", () => {
    const readings = [counts(5, 7), counts(7, 9), counts(9, 11)] as const
    assert.isUndefined(ThreadActivity.between(readings, 200, true))
    assert.strictEqual(ThreadActivity.between(readings, 200, false)?.switches.size, 2)
    assert.strictEqual(ThreadActivity.between([counts(5, 7), counts(5, 9), counts(5, 11)], 200, true)?.switches.size, 1)
  })
})
