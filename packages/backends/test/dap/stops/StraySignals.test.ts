/** A SIGSTOP that was sent for a pause and arrives after another stop. */
import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@sigtrap/dap"
import * as StraySignals from "../../../src/dap/stops/StraySignals.ts"

const stopped = (threadId: number, description: string, preserveFocusHint = false): Message.Event => ({
  type: "event",
  seq: 0,
  event: "stopped",
  body: { reason: "exception", threadId, description, preserveFocusHint }
})

/** What is reported of a stop, and what else was done. */
const made = ({ isOwed = true, isPausing = false } = {}) => {
  const steps: Array<string> = []
  const reported = StraySignals.make({
    isOwed: () => isOwed,
    isPausing: () => isPausing,
    received: () => void steps.push("received"),
    resume: (thread) => void steps.push(`resume ${thread}`)
  })
  return { reported, steps }
}

const signal = stopped(1, "signal SIGSTOP")

describe("a SIGSTOP that was sent for a pause", () => {
  it("after another stop resumes the program and is not reported", () => {
    const { reported, steps } = made()
    assert.deepStrictEqual(reported([signal]), [])
    assert.deepStrictEqual(steps, ["received", "resume 1"])
  })

  it("beside a stop of another thread is left out, and the other thread is in focus", () => {
    const { reported, steps } = made()
    assert.deepStrictEqual(reported([signal, stopped(2, "breakpoint 1.1", true)]), [stopped(2, "breakpoint 1.1")])
    assert.deepStrictEqual(steps, ["received"])
  })

  it("is the stop of a pause that waits for it", () => {
    const { reported, steps } = made({ isPausing: true })
    assert.deepStrictEqual(reported([signal]), [signal])
    assert.deepStrictEqual(steps, ["received"])
  })
})

describe("a stop", () => {
  it("at a SIGSTOP that was not sent for a pause, or by something else, is reported", () => {
    const foreign = made({ isOwed: false })
    assert.deepStrictEqual(foreign.reported([signal]), [signal])
    const other = made()
    const fault = stopped(1, "signal SIGSEGV")
    assert.deepStrictEqual(other.reported([fault]), [fault])
    assert.deepStrictEqual([foreign.steps, other.steps], [[], []])
  })
})
