// References of values, such as `@v3`.
import { assert, describe, it } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect } from "effect"
import { call, calls } from "../../support.ts"
import { inSquare } from "../../stoppedSessions.ts"

describe("references", () => {
  it.effect("are stable within a stop and stale after it, with their expression in the error", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const first = yield* call.locals({ frame: 1 })
        const ref = first.data.variables.find(({ name }) => name === "pair")?.ref ?? ""
        assert.match(ref, /^@v\d+$/)
        const again = yield* call.locals({ frame: 1 })
        assert.deepStrictEqual(again.data, first.data)
        const [value] = (yield* call.print(["pair"], { frame: 1 })).data.values
        assert.strictEqual(value?.ref, ref)
        const opened = yield* call.print([ref])
        assert.deepStrictEqual(
          opened.data.values[0]?.children?.map(({ name }) => name),
          ["first", "second"]
        )
        assert.deepStrictEqual(yield* call.print([ref.replace("@", ":")]), opened)
        yield* call.next()
        const stale = yield* Effect.flip(call.print([ref]))
        assert.deepInclude(stale, { _tag: "StaleReference", ref, expression: "pair" })
        assert.deepStrictEqual(stale.hints, [Hint.call("print", { expressions: ["pair"] })])
        const fresh = (yield* call.locals({ frame: 1 })).data.variables.find(({ name }) => name === "pair")?.ref
        assert.notStrictEqual(fresh, ref)
      })
    )
  )

  it.effect("differ for members of the same name that have no expression", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const inner = Effect.fnUntraced(function* (expression: string) {
          const [value] = (yield* call.print([expression], { frame: 1 })).data.values
          const ref = value?.children?.[0]?.ref ?? ""
          const [opened] = (yield* call.print([ref])).data.values
          return { ref, text: opened?.children?.[0]?.value }
        })
        const one = yield* inner("pair.first")
        const two = yield* inner("pair.second")
        assert.deepStrictEqual([one.text, two.text], ['"one"', '"two"'])
        assert.notStrictEqual(one.ref, two.ref)
        assert.deepStrictEqual(yield* inner("pair.first"), one)
        // Their name may be that of a variable, which must not be written or read in their place.
        for (const asked of calls(call.set(one.ref, "1"), call.eval(one.ref), call.memoryRead(one.ref))) {
          assert.deepInclude(yield* Effect.flip(asked), { _tag: "EvaluationFailed", expression: "inner" })
        }
      })
    )
  )
})
