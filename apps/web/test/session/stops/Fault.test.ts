import { assert, describe, it } from "@effect/vitest"
import type { EventLine } from "../../../src/connection/Answers.ts"
import { faultOf } from "../../../src/session/stops/Fault.ts"

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
    ...(address === undefined ? {} : { fault_address: address, signal_cause: `nothing at ${address}` })
  }
})

describe("the fault of a stop", () => {
  const state = {
    stop: 3,
    stopped: {
      reason: "signal",
      raw_reason: "exception",
      breakpoints: [],
      threads: [],
      focused: true,
      fault_address: "0x8",
      signal_cause: "address not mapped to object"
    }
  } as const

  it("is that of the state at the newest stop, and of the event at an earlier one", () => {
    const events = [stopped(1), stopped(2, "0x10"), stopped(3, "0x8")]
    assert.deepStrictEqual(faultOf(state, [], 3), { address: "0x8", cause: "address not mapped to object" })
    assert.deepStrictEqual(faultOf(state, events, 2), { address: "0x10", cause: "nothing at 0x10" })
    assert.deepStrictEqual(faultOf(state, events, 1), { address: undefined, cause: undefined })
    assert.deepStrictEqual(faultOf(state, [], 2), { address: undefined, cause: undefined })
  })
})
