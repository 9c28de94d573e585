// A debug server reaches a stop without symbols only by signals and by passes that LLDB counts, too.
import { assert, describe, it } from "@effect/vitest"
import type { Breakpoint } from "@sigtrap/protocol"
import * as CountedWrites from "../../../src/operations/reexecution/CountedWrites.ts"
import type { ReplayPlan } from "../../../src/operations/reexecution/ReplayPlan.ts"
import type { PastStop } from "../../../src/session/stops/PastStops.ts"
import { functionBreakpoint, pastStop as stop } from "./pastStops.ts"

const model: Breakpoint.Breakpoint = { ...functionBreakpoint, locations: [{ address: "0x1000" }] }

const step = (to: PastStop, command = "continue", breakpoints: ReadonlyArray<Breakpoint.Breakpoint> = [model]) => ({
  resumption: { command, left: to.stop - 1, breakpoints },
  to
})

const breakpoint = { place: { kind: "function", name: "push" }, model } as const

/** The moments of a plan, with the breakpoints that are known now. */
const moments = (plan: Omit<ReplayPlan, "target">, now: ReadonlyArray<Breakpoint.Breakpoint> = [model]) =>
  CountedWrites.momentsOf({ ...plan, target: stop(9, "signal") }, now)

describe("the moments of a plan", () => {
  it("are its signal, or the passes of its breakpoint", () => {
    assert.deepStrictEqual(moments({ base: { kind: "signal", count: 2 }, steps: [] }), [{ kind: "signal", count: 2 }])
    assert.deepStrictEqual(moments({ base: { kind: "hit", breakpoint, hits: 3 }, steps: [] }), [
      { kind: "pass", addresses: [0x1000n], count: 3 }
    ])
  })

  it("are those of each continue, counted from the stop before", () => {
    const base = { kind: "hit", breakpoint, hits: 3 } as const
    const steps = [step(stop(2, "breakpoint", 5)), step(stop(3, "signal"))]
    assert.deepStrictEqual(moments({ base, at: stop(1, "breakpoint", 3), steps }), [
      { kind: "pass", addresses: [0x1000n], count: 3 },
      { kind: "pass", addresses: [0x1000n], count: 2 },
      { kind: "signal", count: 1 }
    ])
    const started = [step(stop(1, "breakpoint", 7), "start")]
    assert.deepStrictEqual(moments({ base: { kind: "entry" }, steps: started }), [
      { kind: "pass", addresses: [0x1000n], count: 7 }
    ])
  })

  it("are unknown after a step, with a condition, without an address and without a count", () => {
    const base = { kind: "entry" } as const
    const hit = stop(1, "breakpoint", 2)
    assert.isUndefined(moments({ base, steps: [step(stop(1, "step"), "next")] }))
    assert.isUndefined(moments({ base, steps: [step(hit, "continue", [{ ...model, condition: "n > 2" }])] }))
    assert.isUndefined(moments({ base, steps: [step(hit, "continue", [{ ...model, thread: 2 }])] }))
    assert.isUndefined(moments({ base, steps: [step(hit)] }, [{ ...model, locations: [{}] }]))
    assert.isUndefined(moments({ base, steps: [step(hit)] }, [{ ...model, locations: [{ address: "0x1000" }, {}] }]))
    assert.isUndefined(moments({ base, steps: [step(stop(1, "breakpoint"))] }))
    assert.isUndefined(moments({ base, at: hit, steps: [step(stop(2, "breakpoint", 2))] }))
    assert.isUndefined(moments({ base, steps: [] }))
  })
})
