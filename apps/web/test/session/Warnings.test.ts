import { assert, describe, it } from "@effect/vitest"
import type { Breakpoint } from "../../src/connection/Answers.ts"
import { recordWarnings, warningsOfBreakpoint, warningWords } from "../../src/session/Warnings.ts"

const unknown = {
  code: "NOT_FOUND",
  message: "breakpoint 1: the debug information has no 'totl' there; nearest: total"
}

describe("the warnings of an answer", () => {
  it("are sentences, without those that have a place of their own", () => {
    const codes = ["SOURCE_NEWER", "SOURCE_REFUSED", "CONSENT_WANTED", "CONDITION_ERROR"]
    const others = codes.map((code) => ({ code, message: "app.c is newer than the program" }))
    assert.deepStrictEqual(warningWords([...others, unknown]), [
      "Breakpoint 1: the debug information has no 'totl' there; nearest: total."
    ])
    assert.deepStrictEqual(warningWords(), [])
  })

  it("about a breakpoint are known until its condition or its message is another one", () => {
    const breakpoint: Breakpoint = {
      id: 1,
      kind: "line",
      requested: { text: "app.c:14" },
      condition: "totl > 1",
      locations: [],
      enabled: true,
      resolved: true,
      hit_count: 0,
      moved: false,
      temporary: false,
      by: "adapter"
    }
    const app = { id: "a1" }
    recordWarnings(app, breakpoint, [unknown])
    assert.strictEqual(warningsOfBreakpoint(app, { ...breakpoint, hit_count: 3 }).length, 1)
    assert.deepStrictEqual(warningsOfBreakpoint(app, { ...breakpoint, condition: "total > 1" }), [])
    assert.deepStrictEqual(warningsOfBreakpoint({ id: "a2" }, breakpoint), [])
    recordWarnings(app, breakpoint, [])
    assert.deepStrictEqual(warningsOfBreakpoint(app, breakpoint), [])
  })
})
