/**
 * Tests of `last-write` where a stop of the program comes right after a write, with a real debugger; shared by the live and the long
 * ones. LLDB 19 passes a breakpoint at the address where it resumes after a write that it ignores, and forgets a step.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, Programs, type Debugging } from "../support/fixturePrograms.ts"

type Backend = "dap" | "lldb-cli"

const session = "default"

/** Returns the line and the number of the last write that changed the value, and the number of all writes. */
const lastWrite = ({ call }: Debugging) =>
  Effect.map(call("last-write", { expression: "*value", session, timeout: "120s" }), ({ data }) => [
    data.watch?.written_at?.line,
    data.write?.hit,
    data.write?.of
  ])

/** The first and the later stops at a breakpoint right after a write, and one with a condition. */
export const namesTheWriteBeforeABreakpoint = (backend: Backend) =>
  debugging((live) =>
    Effect.gen(function* () {
      const { call, start } = live
      const { line } = yield* Programs
      const at = (mark: string) => line("passed.c", mark)
      yield* start("passed", { backend, break: [`passed.c:${at("checked")}`], replace: true })
      // An assignment that the types do not allow changes nothing.
      for (const [target, value, reason] of [
        ["state", "7", "not-assignable"],
        ["state.turn", '"text"', "wrong-type"]
      ] as const) {
        const refused = yield* Effect.flip(call("set", { target, value, session }))
        assert.deepInclude(refused, { _tag: "EvaluationFailed", reason })
      }
      assert.deepStrictEqual(yield* lastWrite(live), [at("check"), 1, 1])
      yield* call("continue", { session })
      assert.deepStrictEqual(yield* lastWrite(live), [at("again"), 3, 3])
      yield* call("continue", { session })
      assert.deepStrictEqual(yield* lastWrite(live), [at("again"), 5, 5])
      yield* start("passed", { backend, replace: true, stop_on_entry: true })
      yield* call("break", { at: `passed.c:${at("checked")}`, condition: "state.turn == 0", session })
      yield* call("continue", { session })
      assert.deepStrictEqual(yield* lastWrite(live), [at("check"), 1, 1])
    })
  )

/** Steps over a write, over a call that writes, into it and out of it. */
export const namesWritesInSteps = (backend: Backend) =>
  debugging((live) =>
    Effect.gen(function* () {
      const { call, start } = live
      const { line } = yield* Programs
      const at = (mark: string) => line("passed.c", mark)
      yield* start("passed", { backend, break: [`passed.c:${at("steps")}`], replace: true })
      yield* call("next", { session })
      assert.deepStrictEqual(yield* lastWrite(live), [at("steps"), 6, 6])
      yield* call("next", { session })
      yield* call("step", { session })
      assert.deepStrictEqual(yield* lastWrite(live), [at("second"), 7, 7])
      yield* call("finish", { session })
      assert.deepStrictEqual(yield* lastWrite(live), [at("again"), 9, 9])
      yield* call("next", { session, count: 2 })
      assert.deepStrictEqual(yield* lastWrite(live), [at("third"), 10, 10])
    })
  )
