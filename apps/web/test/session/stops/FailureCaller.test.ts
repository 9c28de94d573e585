import { assert, describe, it } from "@effect/vitest"
import type { Report, StackFrame } from "../../../src/connection/Answers.ts"
import { callerOf } from "../../../src/session/stops/FailureCaller.ts"

const frames: ReadonlyArray<StackFrame> = [
  { index: 0, ref: "@f1", function: "abort" },
  { index: 1, ref: "@f2", function: "check", file: "/a.c", line: 3 },
  { index: 2, ref: "@f3", function: "qsort" },
  { index: 3, ref: "@f4", function: "main", file: "/a.c", line: 9 }
]

describe("the caller at a failure", () => {
  it("is the next frame with source", () => {
    const report: Pick<Report, "reason" | "signal" | "frames"> = { reason: "signal", signal: "SIGABRT", frames }
    assert.strictEqual(callerOf(report, 1)?.ref, "@f4")
    assert.isUndefined(callerOf(report, 3))
  })

  it("is none at a stop that is not a failure", () => {
    assert.isUndefined(callerOf({ reason: "breakpoint", frames }, 1))
    assert.isUndefined(callerOf({ reason: "signal", signal: "SIGCHLD", frames }, 1))
    assert.isUndefined(callerOf(undefined, 0))
  })

  it("is not a mark between asynchronous callers, and not of an earlier exception", () => {
    const marked = frames.map((frame) => (frame.index === 3 ? { ...frame, label: true } : frame))
    assert.isUndefined(callerOf({ reason: "exception", frames: marked }, 1))
    const raised = frames.map((frame) => (frame.index === 3 ? { ...frame, raised: "KeyError" } : frame))
    assert.isUndefined(callerOf({ reason: "exception", frames: raised }, 1))
  })
})
