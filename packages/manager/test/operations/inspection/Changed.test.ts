// Values of two stops: what has changed since an earlier one.
import { assert, describe, it } from "@effect/vitest"
import type { Variable } from "@sigtrap/protocol"
import { Effect } from "effect"
import { call, code } from "../../support.ts"
import { inMain, inSquare } from "../../stoppedSessions.ts"

describe("values", () => {
  it.effect("are compared with the previous stop in the same frame", () =>
    inSquare(() =>
      Effect.gen(function* () {
        assert.strictEqual(yield* code(call.changed()), "INVALID_STATE")
        yield* call.step()
        const { data } = yield* call.changed()
        assert.deepInclude(data, { from: 1, to: 2, entered: false })
        assert.deepStrictEqual(data.vars, [{ name: "result", old: "0", new: "1" }])
        assert.deepStrictEqual(
          (yield* call.locals({ changed: true })).data.variables.map(({ name }) => name),
          ["result"]
        )
      })
    )
  )

  it.effect("are not compared with those of an earlier call of the function", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const marked = (locals: ReadonlyArray<Variable.Variable> = []) =>
          locals.flatMap(({ changed, name, old }) => (changed === true ? [`${name} was ${old}`] : []))
        // The breakpoint at the function: no stop in between tells that it has returned.
        yield* call.next()
        yield* call.changed({ expr: ["n"] })
        const again = yield* call.continue()
        assert.strictEqual(again.stop, 3)
        assert.deepStrictEqual(marked(again.data.locals), [])
        const { data } = yield* call.changed({ expr: ["n"] })
        assert.deepStrictEqual(data.vars, [{ name: "n", new: "2" }])
        assert.deepStrictEqual(marked((yield* call.next()).data.locals), ["result was 0"])
        // A step out of the function and into the next call.
        yield* call.toggle([1])
        const place = Effect.map(call.frame(), ({ data }) => data.frame.function)
        yield* call.finish()
        assert.strictEqual(yield* place, "main")
        let inside = (yield* call.step()).data
        while ((yield* place) === "main") inside = (yield* call.step()).data
        assert.deepStrictEqual(marked(inside.locals), [])
        assert.deepStrictEqual(marked((yield* call.next()).data.locals), ["result was 0"])
        // The caller is the same as before.
        const total = (yield* call.locals({ frame: "1" })).data.variables.find(({ name }) => name === "total")
        assert.strictEqual(total?.old ?? total?.value, "5")
      })
    )
  )
})

describe("changed", () => {
  it.effect("compares variables and expressions with an earlier stop", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.locals({ changed: true })
        yield* call.break("app.c:11")
        yield* call.continue()
        yield* call.changed({ expr: ["total"] })
        yield* call.continue()
        const { data } = yield* call.changed({ expr: ["total"] })
        assert.deepInclude(data.vars, { name: "total", old: "1", new: "5" })
        const since = (yield* call.changed({ since: 1 })).data
        assert.deepInclude(since, { from: 1, to: 3 })
        assert.deepInclude(since.vars, { name: "total", old: "0", new: "5" })
        assert.strictEqual(yield* code(call.changed({ since: 3 })), "INVALID_STATE")
        assert.strictEqual((yield* Effect.flip(call.changed({ expr: ["total = 1"] })))._tag, "SideEffects")
      })
    )
  )
})
