// Presses while an action runs: every step is made, or the page says why it is not.
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import * as Fold from "@sigtrap/protocol/Snapshot"
import type { Snapshot } from "../../../src/connection/Answers.ts"
import { begin, belongsToLast, droppedWords, follow } from "../../../src/session/actions/ActionQueue.ts"
import { Session } from "../../../src/session/Session.ts"

const initial: Snapshot = { ...Fold.initial, state: "stopped", stop: 1 }

const stopped = (reason: "step" | "breakpoint"): NonNullable<Snapshot["stopped"]> => ({
  reason,
  raw_reason: reason,
  breakpoints: reason === "breakpoint" ? [2] : [],
  threads: [1],
  focused: true
})

/** A page at stop 1 that presses steps, and what became of them. */
const page = () => {
  const session = new Session("app", "1", initial, 1, false)
  const view = { session }
  const made: Array<string> = []
  const dropped: Array<string> = []
  let answer: (isDone: boolean) => void = () => {}
  const press = (id: "next" | "step" | "finish" | "continue") => {
    if (belongsToLast(view, id)) return
    made.push(`${id} at ${session.snapshot.value.stop}`)
    answer = begin(view, id)
    follow(view, press, (words) => dropped.push(words))
  }
  const becomes = async (more: Partial<Snapshot>) => {
    session.replace({ ...session.snapshot.value, ...more }, undefined)
    await Promise.resolve()
  }
  return { press, becomes, made, dropped, answer: (isDone: boolean) => answer(isDone) }
}

describe("the queue of actions", () => {
  afterEach(() => void vi.useRealTimers())

  it("makes the steps that were pressed while one ran, one after the other", async () => {
    const { becomes, dropped, made, press } = page()
    for (const id of ["next", "next", "finish"] as const) press(id)
    assert.deepStrictEqual(made, ["next at 1"])
    await becomes({ state: "running" })
    await becomes({ state: "stopped", stop: 2, stopped: stopped("step") })
    await becomes({ state: "stopped", stop: 3, stopped: stopped("step") })
    await becomes({ state: "stopped", stop: 4, stopped: stopped("step") })
    assert.deepStrictEqual(made, ["next at 1", "next at 2", "finish at 3"])
    assert.deepStrictEqual(dropped, [])
  })

  it("says that steps were not made, and why", async () => {
    const { becomes, dropped, made, press } = page()
    for (const id of ["next", "next", "next"] as const) press(id)
    await becomes({ state: "stopped", stop: 2, stopped: stopped("breakpoint") })
    assert.deepStrictEqual(made, ["next at 1"])
    assert.deepStrictEqual(dropped, ["Stopped at breakpoint 2. 2 more steps were not made."])
    press("next")
    assert.deepStrictEqual(made, ["next at 1", "next at 2"])
    press("step")
    await becomes({ state: "exited" })
    assert.strictEqual(dropped.at(-1), "The session has ended. 1 more step was not made.")
    const resumed = "The program was resumed meanwhile. 2 more steps were not made."
    assert.strictEqual(droppedWords({ state: "running" }, 2), resumed)
    assert.strictEqual(droppedWords({ state: "stopped", stopped: stopped("step") }, 2), resumed)
  })

  it("keeps a step for as long as the call before it has no answer", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { answer, becomes, made, press } = page()
    press("next")
    vi.setSystemTime(Date.now() + 5000)
    press("next")
    assert.deepStrictEqual(made, ["next at 1"])
    answer(true)
    await becomes({ state: "running" })
    await becomes({ state: "stopped", stop: 2, stopped: stopped("step") })
    assert.deepStrictEqual(made, ["next at 1", "next at 2"])
    answer(true)
    vi.setSystemTime(Date.now() + 5000)
    press("next")
    assert.strictEqual(made.at(-1), "next at 2")
    assert.lengthOf(made, 3)
  })

  it("begins an action again that failed", () => {
    const { answer, made, press } = page()
    press("continue")
    press("continue")
    assert.lengthOf(made, 1)
    answer(false)
    press("continue")
    assert.lengthOf(made, 2)
  })
})
