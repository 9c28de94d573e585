import { assert, describe, it } from "@effect/vitest"
import * as StopText from "../../src/console/lldb/StopText.ts"

describe("the stop reason of a thread", () => {
  it("names what the thread hit, without LLDB's numbers", () => {
    assert.deepStrictEqual(StopText.reasonFields("breakpoint 1.1 4.1"), { hit: "breakpoint" })
    assert.deepStrictEqual(StopText.reasonFields("watchpoint 2"), { hit: "watchpoint" })
  })

  it("is LLDB's text if that says more, and absent without a text", () => {
    assert.deepStrictEqual(StopText.reasonFields("signal SIGSEGV"), { stop_reason: "signal SIGSEGV" })
    assert.deepStrictEqual(StopText.reasonFields("breakpoint 1.1 of x"), { stop_reason: "breakpoint 1.1 of x" })
    assert.deepStrictEqual(StopText.reasonFields(undefined), {})
  })
})
