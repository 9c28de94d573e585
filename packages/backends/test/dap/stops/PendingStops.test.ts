import { assert, describe, it } from "@effect/vitest"
import { PendingStops } from "../../../src/dap/stops/PendingStops.ts"
import type { StoppedBody } from "../../../src/dap/stops/Stops.ts"

const event = (threadId: number): StoppedBody => ({ reason: "breakpoint", threadId, hitBreakpointIds: [threadId] })

describe("the events of one stop", () => {
  it("are reported together if a later one waits for its details", () => {
    const reported: Array<number | undefined> = []
    const stops = new PendingStops(({ threadId }) => reported.push(threadId))
    let receive: ReturnType<PendingStops["wait"]> = () => undefined
    stops.together(() => {
      stops.add(event(1))
      stops.add(event(2))
      receive = stops.wait()
      stops.add(event(4))
    })
    assert.deepStrictEqual(reported, [])
    receive(event(3))
    assert.deepStrictEqual(reported, [1, 2, 3, 4])
    stops.together(() => stops.add(event(5)))
    assert.deepStrictEqual(reported, [1, 2, 3, 4, 5])
  })
  it("begin anew when the program was resumed, also while an event of the stop before waits", () => {
    const stops = new PendingStops(() => undefined)
    const firsts = [stops.isFirst]
    const receive = stops.wait()
    firsts.push(stops.isFirst)
    stops.resumed()
    firsts.push(stops.isFirst)
    stops.add(event(2))
    firsts.push(stops.isFirst)
    receive(undefined)
    firsts.push(stops.isFirst)
    assert.deepStrictEqual(firsts, [true, false, true, false, false])
  })
})
