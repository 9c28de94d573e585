// How breakpoints are named: by number, range, label and place.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, code } from "../../support.ts"
import { inMain } from "../../stoppedSessions.ts"

const idsOf = (answer: { readonly data: { readonly ids: ReadonlyArray<number> } }) => answer.data.ids

describe("breakpoints are named", () => {
  it.effect("by number, range, list, label, location and all; none is changed when one is unknown", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:2", { name: "first" })
        yield* call.break("app.c:3")
        yield* call.break("square")
        assert.deepStrictEqual(idsOf(yield* call.disable(["2-3"])), [2, 3])
        assert.deepStrictEqual(idsOf(yield* call.enable(["2,3"])), [2, 3])
        assert.deepStrictEqual(idsOf(yield* call.disable(["first", 1])), [1, 2])
        assert.deepStrictEqual(idsOf(yield* call.disable(["app.c:3"])), [3])
        assert.strictEqual((yield* call.info("first")).data.id, 2)
        assert.deepStrictEqual(idsOf(yield* call.edit("first", { condition: "n > 1" })), [2])
        for (const wrong of ["9", "7-9", "nobody", "app.c:13"]) {
          assert.strictEqual(yield* code(call.remove(["1", wrong])), "BREAKPOINT_NOT_FOUND", wrong)
        }
        assert.strictEqual((yield* call.breakpoints()).data.breakpoints.length, 4)
        assert.strictEqual(yield* code(call.remove(["9-1"])), "USAGE")
        assert.deepStrictEqual(idsOf(yield* call.remove(["all"])), [1, 2, 3, 4])
      })
    )
  )

  it.effect("a label belongs to one breakpoint", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:2", { name: "it" })
        assert.strictEqual(yield* code(call.break("app.c:3", { name: "it" })), "USAGE")
        assert.strictEqual(yield* code(call.edit(1, { name: "it" })), "USAGE")
        assert.deepInclude((yield* call.break("app.c:2", { name: "it" })).data, { id: 2, existing: true })
      })
    )
  )

  it.effect("toggle inverts each breakpoint; the list can be limited to one kind", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:3", { disabled: true })
        const toggled = (yield* call.toggle([1, 2])).data.breakpoints
        assert.deepStrictEqual(
          toggled.map(({ enabled, id }) => [id, enabled]),
          [
            [1, false],
            [2, true]
          ]
        )
        const lines = (yield* call.breakpoints({ kind: ["line"] })).data.breakpoints
        assert.deepStrictEqual(
          lines.map(({ id }) => id),
          [2]
        )
      })
    )
  )

  it.effect.each([
    [{ function: "square" }, "square"],
    [{ file: "app.c", line: 3 }, "app.c:3"],
    [{ line: 8 }, "/src/app.c:8"],
    [{ regex: "^squ" }, "/^squ/"],
    [{ address: "0x10" }, "*0x10"]
  ] as const)("and set by explicit forms: %j", ([form, text]) =>
    inMain((fake) =>
      Effect.gen(function* () {
        yield* call.break(undefined, { ...form, pending: true })
        const [, made] = (yield* call.breakpoints()).data.breakpoints
        assert.strictEqual(made?.requested.text, text)
        assert.strictEqual(yield* code(call.break("main", form)), "USAGE")
        assert.isDefined(yield* fake.newest)
      })
    )
  )

  it.effect("a text anchor can be searched before it is set", () =>
    inMain(() =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* call.anchors("app.c", "return result;")).data, {
          file: "/src/app.c",
          matches: [{ line: 3, text: "return result;" }],
          total: 1
        })
        assert.strictEqual((yield* call.anchors("app.c", "return")).data.total, 2)
        assert.strictEqual((yield* call.anchors("app.c", "nothing like it")).data.total, 0)
        assert.strictEqual(yield* code(call.anchors("apple.c", "x")), "SOURCE_NOT_FOUND")
      })
    )
  )
})
