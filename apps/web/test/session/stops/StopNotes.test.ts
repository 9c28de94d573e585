import { assert, describe, it } from "@effect/vitest"
import { missedWriteWords, StopWarnings, stopWarningWords } from "../../../src/session/stops/StopNotes.ts"

describe("the notes of a stop", () => {
  it("say which value changed without a report of its watchpoint", () => {
    const missed = { id: 2, expression: "number", new: "41", address: "0x1000" }
    assert.deepStrictEqual(missedWriteWords({}), [])
    assert.deepStrictEqual(missedWriteWords({ missed_writes: [{ ...missed, old: "0" }] }), [
      "number changed from 0 to 41, but watchpoint 2 reported no write.",
      "The kernel or another process wrote it, or this machine reports no writes."
    ])
    assert.include(missedWriteWords({ missed_writes: [missed] })[0], "number changed to 41,")
  })

  it("say which conditions could not be evaluated, at the stop that they caused", () => {
    const errors = new StopWarnings()
    const message = "condition error: breakpoint 2: use of undeclared identifier 'nosuch'"
    errors.record(4, [
      { code: "SOURCE_NEWER", message: "app.c is newer than the program" },
      { code: "CONDITION_ERROR", message }
    ])
    errors.record(5, [])
    assert.deepStrictEqual(errors.at(5), [])
    assert.deepStrictEqual(stopWarningWords(errors.at(5)), [])
    assert.deepStrictEqual(stopWarningWords(errors.at(4)), [
      "Condition error: breakpoint 2: use of undeclared identifier 'nosuch'.",
      "The program stopped because the condition could not be evaluated."
    ])
    errors.record(4, [])
    assert.deepStrictEqual(errors.at(4), [])
  })

  it("say what else the answer of a stop warns of", () => {
    const message = "the debugger sent 12 more variables than can be read"
    assert.deepStrictEqual(stopWarningWords([{ code: "LIST_CUT", message }]), [
      "The debugger sent 12 more variables than can be read."
    ])
  })
})
