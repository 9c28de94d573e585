import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { BreakpointIds } from "../../../src/console/BreakpointIds.ts"
import { ConditionFailures } from "../../../src/dap/events/ConditionFailures.ts"
import { listening } from "../../support.ts"

const message = `error: stopped due to an error evaluating condition of breakpoint 7.1: "nope == 2"
Couldn't parse conditional expression:
error: <user expression 0>:1:1: use of undeclared identifier 'nope'
`

const stopAt = (...hitBreakpointIds: ReadonlyArray<number>) => ({ reason: "breakpoint", hitBreakpointIds })

const failures = () => {
  const reported: Array<string> = []
  const ids = new BreakpointIds()
  ids.set(2, 7, true)
  ids.set(3, 8, true)
  ids.withConditions([{ id: 2, condition: "nope == 2" }, { id: 3 }])
  const listener = {
    ...listening().listener,
    conditionFailed: (id: number, problem: string) => void reported.push(`${id} ${problem}`)
  }
  return { ids, reported, conditions: new ConditionFailures(listener, ids) }
}

describe("a stop at a breakpoint with a condition", () => {
  it.effect("waits until the message about it has come", () =>
    Effect.gen(function* () {
      const { conditions, reported } = failures()
      const written: Array<string> = []
      const write = (line: string) => Effect.sync(() => void written.push(line))
      const request = yield* Effect.fromNullishOr(conditions.before(stopAt(7), write))
      const waiting = yield* Effect.forkChild(request, { startImmediately: true })
      assert.lengthOf(written, 1)
      assert.isUndefined(waiting.pollUnsafe())
      // The adapter sends the message and the mark in one output.
      const rest = conditions.withoutMarks(`${message}${written[0]}\n`)
      assert.strictEqual(rest, message)
      conditions.read(rest)
      yield* Fiber.join(waiting)
      assert.lengthOf(reported, 1)
      assert.match(reported[0] ?? "", /^2 .*nope/)
    })
  )

  it.effect("waits for a second if the mark does not come", () =>
    Effect.gen(function* () {
      const { conditions } = failures()
      const silent = yield* Effect.fromNullishOr(conditions.before(stopAt(7), () => Effect.void))
      const waiting = yield* Effect.forkChild(silent, { startImmediately: true })
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
    })
  )

  it("leaves a text like a mark in the output of a program", () => {
    const { conditions } = failures()
    assert.strictEqual(conditions.withoutMarks("a <sigtrap 1>\n"), "a <sigtrap 1>\n")
  })

  it("does not wait at breakpoints without a condition", () => {
    const { conditions, ids } = failures()
    assert.isUndefined(conditions.before(stopAt(8), () => Effect.void))
    assert.isUndefined(conditions.before(stopAt(7), undefined))
    ids.remove(2)
    assert.isUndefined(conditions.before(stopAt(7), () => Effect.void))
  })
})
