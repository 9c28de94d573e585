import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, code, fakeWith, over } from "../../support.ts"

it.effect("each stop shows the displays, as they read there, until they are removed", () => {
  const fake = fakeWith({})
  return over(
    fake,
    Effect.gen(function* () {
      yield* call.start({ break: ["main"] })
      assert.deepInclude((yield* call.display("total")).data.items[0], { display: 1, expression: "total", value: "0" })
      yield* call.display("i")
      // The same expression is shown once.
      assert.lengthOf((yield* call.display("total")).data.items, 2)
      yield* call.break("square")
      const inSquare = (yield* call.continue()).data.evaluations ?? []
      assert.deepStrictEqual(
        inSquare.map(({ display, error }) => [display, error !== undefined]),
        [
          [1, true],
          [2, true]
        ]
      )
      const back = (yield* call.finish()).data.evaluations ?? []
      assert.deepStrictEqual(
        back.map(({ changed, display, old, value }) => [display, value, changed, old]),
        [
          [1, "1", true, "0"],
          [2, "1", true, "0"]
        ]
      )
      assert.deepStrictEqual(
        (yield* call.context()).data.evaluations?.map(({ changed, value }) => [value, changed]),
        [
          ["1", true],
          ["1", true]
        ]
      )
      assert.deepStrictEqual(
        (yield* call.displays()).data.items.map(({ changed }) => changed),
        [true, true]
      )
      yield* call.restart()
      assert.lengthOf((yield* call.displays()).data.items, 2)
      yield* call.undisplay([1])
      assert.deepStrictEqual(
        (yield* call.displays()).data.items.map(({ display }) => display),
        [2]
      )
      assert.deepStrictEqual((yield* call.undisplay(["all"])).data.items, [])
    })
  )
})

it.effect("a display that may change the program, has an unknown name or is one too many is refused", () =>
  over(
    fakeWith({}),
    Effect.gen(function* () {
      yield* call.start({ break: ["main"] })
      assert.strictEqual(yield* code(call.display("total = 3")), "EVALUATION_FAILED")
      assert.strictEqual(yield* code(call.display("square(1)")), "EVALUATION_FAILED")
      assert.strictEqual(yield* code(call.display("totl")), "VARIABLE_NOT_FOUND")
      assert.strictEqual(yield* code(call.undisplay([1])), "INVALID_STATE")
      assert.deepStrictEqual((yield* call.displays()).data.items, [])
      for (const letter of "xduotbcfas")
        for (const name of ["total", "i"]) yield* call.display(name, { format: letter })
      assert.strictEqual(yield* code(call.display("total")), "INVALID_STATE")
      assert.lengthOf((yield* call.displays()).data.items, 20)
    })
  )
)

it.effect("a display of a running program is checked by its text and read at the next stop", () => {
  const fake = fakeWith({ pace: "on demand" })
  return over(
    fake,
    Effect.gen(function* () {
      yield* call.start({ wait: false })
      assert.strictEqual(yield* code(call.display("i++")), "EVALUATION_FAILED")
      // As `print` at a stop: calls that this debugger computes itself, no others.
      assert.lengthOf((yield* call.display("len(items)")).data.items, 1)
      assert.strictEqual(yield* code(call.display("size(items)")), "EVALUATION_FAILED")
      assert.strictEqual(yield* code(call.display("items.size()")), "EVALUATION_FAILED")
      yield* call.undisplay(["all"])
      assert.deepStrictEqual((yield* call.display("/x i")).data.items, [{ display: 2, expression: "i", format: "x" }])
    })
  )
})
