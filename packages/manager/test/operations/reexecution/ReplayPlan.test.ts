// A plan leaves out the resumes of the earlier run only where the stop does not depend on them.
import { assert, describe, it } from "@effect/vitest"
import type { Breakpoint } from "@sigtrap/protocol"
import * as ReplayPlan from "../../../src/operations/reexecution/ReplayPlan.ts"
import type { Resumption, RunHistory } from "../../../src/operations/reexecution/RunHistory.ts"
import type { PastStop } from "../../../src/session/stops/PastStops.ts"
import { functionBreakpoint, pastStop as stop } from "./pastStops.ts"

const model = functionBreakpoint

const recorded = [{ place: { kind: "function", name: "push" }, model }] as const

const history = (
  stops: ReadonlyArray<PastStop>,
  commands: ReadonlyArray<string>,
  breakpoints: ReadonlyArray<Breakpoint.Breakpoint> = [model],
  unchanged: ReadonlyArray<number> = [1]
): RunHistory => ({
  began: 0,
  before: 0,
  stops,
  resumptions: commands.map((command, left): Resumption => ({ command, left, breakpoints })),
  unchanged: new Set(unchanged)
})

/** The kind of the base, its number, and the resumes that are repeated. */
const planned = (run: RunHistory, stopOnEntry = false) => {
  const target = run.stops.at(-1)
  const plan = target === undefined ? undefined : ReplayPlan.to(target, run, recorded, stopOnEntry)
  if (plan === undefined) return undefined
  const { base } = plan
  const number = base.kind === "signal" ? base.count : base.kind === "hit" ? base.hits : 0
  return [base.kind, number, ...plan.steps.map(({ resumption }) => resumption.command)]
}

describe("the plan to a stop", () => {
  it("counts the signals before a crash, whatever was done in between", () => {
    const stops = [stop(1, "signal"), stop(2, "step"), stop(3, "signal")]
    assert.deepStrictEqual(planned(history(stops, ["start", "next", "continue"])), ["signal", 2])
  })

  it("counts the hits of a breakpoint that was set from the beginning", () => {
    const stops = [stop(1, "breakpoint", 1), stop(2, "breakpoint", 3)]
    assert.deepStrictEqual(planned(history(stops, ["start", "continue"])), ["hit", 3])
  })

  it("repeats the steps after that", () => {
    const stops = [stop(1, "breakpoint", 1), stop(2, "step"), stop(3, "step")]
    assert.deepStrictEqual(planned(history(stops, ["start", "next", "step"])), ["hit", 1, "next", "step"])
  })

  it("repeats every resume where hits depend on steps, conditions or later edits", () => {
    const afterStep = [stop(1, "breakpoint", 1), stop(2, "step"), stop(3, "breakpoint", 2)]
    const all = ["hit", 1, "next", "continue"]
    assert.deepStrictEqual(planned(history(afterStep, ["start", "next", "continue"])), all)
    const stops = [stop(1, "breakpoint", 1), stop(2, "breakpoint", 2)]
    const whole = ["entry", 0, "start", "continue"]
    const conditional = { ...model, condition: "n > 2" }
    assert.deepStrictEqual(planned(history(stops, ["start", "continue"], [conditional])), whole)
    assert.deepStrictEqual(planned(history(stops, ["start", "continue"], [model], [])), whole)
    assert.deepStrictEqual(planned(history(stops, ["start", "continue"], [{ ...model, temporary: true }])), whole)
  })

  it("repeats every resume where another breakpoint counts hits from the beginning", () => {
    const stops = [stop(1, "breakpoint", 1), stop(2, "step")]
    const counting = { ...model, id: 2, hits_wanted: ">=3" }
    const planOf = (breakpoints: ReadonlyArray<Breakpoint.Breakpoint>) =>
      planned(history(stops, ["start", "next"], breakpoints))
    assert.deepStrictEqual(planOf([model, counting]), ["entry", 0, "start", "next"])
    assert.deepStrictEqual(planOf([model, { ...counting, enabled: false }]), ["hit", 1, "next"])
    // The last stop itself needs no count.
    const [first = stop(1, "entry")] = stops
    assert.deepStrictEqual(planned(history([first], ["start"], [model, counting])), ["hit", 1])
  })

  it("repeats every resume where a watchpoint may have passed the breakpoint uncounted", () => {
    const stops = [stop(1, "watchpoint"), stop(2, "breakpoint", 1)]
    assert.deepStrictEqual(planned(history(stops, ["start", "continue"])), ["entry", 0, "start", "continue"])
    const ignoring = { ...model, id: 2, kind: "watch", hits_wanted: "5" } as const
    const later = [stop(1, "breakpoint", 1)]
    assert.deepStrictEqual(planned(history(later, ["start"], [model, ignoring])), ["entry", 0, "start"])
    assert.deepStrictEqual(planned(history(later, ["start"], [model, { ...ignoring, enabled: false }])), ["hit", 1])
  })

  it("is at the first instruction at once if the session stopped there", () => {
    const stops = [stop(1, "entry"), stop(2, "step")]
    assert.deepStrictEqual(planned(history(stops, ["start", "stepi"]), true), ["entry", 0, "stepi"])
  })

  it("does not exist if a stop on the way is not kept", () => {
    assert.isUndefined(planned(history([stop(2, "step")], ["start", "next"])))
  })
})
