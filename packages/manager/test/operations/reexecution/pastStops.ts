/** A breakpoint at a function, and stops of an earlier run at it or for another reason. */
import type { Breakpoint, Snapshot } from "@sigtrap/protocol"
import { PastStop } from "../../../src/session/stops/PastStops.ts"
import { Budget } from "../../../src/session/values/StopReadings.ts"

/** A breakpoint at the function `push`, without a location. */
export const functionBreakpoint: Breakpoint.Breakpoint = {
  id: 1,
  kind: "function",
  requested: { text: "push", function: "push" },
  locations: [],
  resolved: true,
  moved: false,
  enabled: true,
  hit_count: 3,
  temporary: false,
  by: "adapter"
}

/** Returns a stop. With `hits` it is the stop at that hit of the breakpoint. */
export const pastStop = (number: number, reason: Snapshot.Stopped["reason"], hits?: number): PastStop => {
  const stopped: Snapshot.Stopped = {
    reason,
    raw_reason: reason,
    breakpoints: hits === undefined ? [] : [1],
    threads: [],
    focused: true
  }
  const after = { state: "stopped", stop: number, resumes: number, stopped } as const
  const stop = new PastStop(after, stopped, { time: 0, seq: 0 }, new Budget(1e6, () => false), undefined)
  if (hits !== undefined) stop.hits = new Map([[1, hits]])
  return stop
}
