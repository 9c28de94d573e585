import { assert, describe, it } from "@effect/vitest"
import type { EventLine } from "../../src/connection/Answers.ts"
import { faultAddressOf, withoutAddress } from "../../src/session/FaultAddress.ts"

const stopped = (stop: number, address?: string): EventLine => ({
  type: "event",
  session: "app",
  seq: stop,
  time: 0,
  stop,
  event: {
    _tag: "Stopped",
    reason: "signal",
    raw_reason: "exception",
    breakpoints: [],
    focus: true,
    ...(address === undefined ? {} : { fault_address: address })
  }
})

describe("the fault address", () => {
  const state = {
    stop: 3,
    stopped: {
      reason: "signal",
      raw_reason: "exception",
      breakpoints: [],
      threads: [],
      focused: true,
      fault_address: "0x8"
    }
  } as const

  it("is that of the state at the newest stop, and of the event at an earlier one", () => {
    const events = [stopped(1), stopped(2, "0x10"), stopped(3, "0x8")]
    assert.strictEqual(faultAddressOf(state, [], 3), "0x8")
    assert.strictEqual(faultAddressOf(state, events, 2), "0x10")
    assert.isUndefined(faultAddressOf(state, events, 1))
    assert.isUndefined(faultAddressOf(state, [], 2))
  })

  it("is not shown twice, whatever the words of the debugger", () => {
    assert.strictEqual(withoutAddress("invalid address (fault address: 0x8)", "0x8"), "invalid address")
    assert.strictEqual(withoutAddress("not mapped (fault address=0x8)", "0x8"), "not mapped")
    assert.strictEqual(withoutAddress("not mapped (fault address=0x8)", undefined), "not mapped (fault address=0x8)")
    assert.strictEqual(withoutAddress("invalid permissions", "0x8"), "invalid permissions")
  })
})
