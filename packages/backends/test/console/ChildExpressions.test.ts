// How many elements of a container are evaluated to name all of them.
import { assert, it } from "@effect/vitest"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import { Effect } from "effect"
import * as ChildExpressions from "../../src/console/lldb/values/ChildExpressions.ts"

const container: Backend.Value = { name: "v", type: "std::vector<int>", value: "size=20", handle: 1, expression: "v" }
const element = (index: number): Backend.Value => ({ name: `[${index}]`, type: "int", value: `${index}`, handle: 0 })

/** Returns the expressions of 20 elements, and how many were evaluated. `isFound` says which evaluate to the element. */
const named = Effect.fnUntraced(function* (
  isFound: (index: number) => boolean,
  elements = Array.from({ length: 20 }, (_, n) => element(n)),
  type = "std::vector<int>"
) {
  let evaluated = 0
  const values = ChildExpressions.make({
    children: () => Effect.succeed(elements),
    commandText: () => Effect.succeed(""),
    locals: () => Effect.succeed([{ ...container, type }]),
    evaluate: (expression) => {
      evaluated++
      const index = Number(/\[(\d+)\]$/.exec(expression)?.[1])
      const found = elements[index]
      return found !== undefined && isFound(index)
        ? Effect.succeed(found)
        : Effect.fail(new Errors.AdapterError({ command: "print", detail: "no such element" }))
    }
  })
  yield* values.locals(0)
  const found = yield* values.children(1, 0, 20)
  return { evaluated, expressions: found.map(({ expression }) => expression) }
})

it.effect("elements of one type are named from three of them", () =>
  Effect.gen(function* () {
    const all = yield* named(() => true)
    assert.deepStrictEqual([all.evaluated, all.expressions[7], all.expressions[19]], [3, "v[7]", "v[19]"])
    const none = yield* named(() => false)
    assert.deepStrictEqual([none.evaluated, none.expressions.some((one) => one !== undefined)], [3, false])
  })
)

it.effect("each element is evaluated if some have no expression, or if they have several types", () =>
  Effect.gen(function* () {
    const some = yield* named((index) => index !== 10)
    assert.deepStrictEqual([some.evaluated, some.expressions[10], some.expressions[11]], [23, undefined, "v[11]"])
    const mixed = Array.from({ length: 20 }, (_, n) => ({ ...element(n), type: n === 3 ? "char" : "int" }))
    assert.strictEqual((yield* named(() => true, mixed)).evaluated, 20)
  })
)

it.effect("the pairs of a map have no expression, and none is evaluated", () =>
  Effect.gen(function* () {
    const pairs = Array.from({ length: 20 }, (_, n) => ({ ...element(n), type: "std::pair<const int, int>" }))
    for (const type of [
      "std::map<int, int>",
      "const std::__1::unordered_map<int, int> &",
      "std::multimap<int, int> *"
    ]) {
      const found = yield* named(() => true, pairs, type)
      assert.deepStrictEqual([found.evaluated, found.expressions[7]], [0, undefined], type)
    }
    const listed = yield* named(() => true, pairs, "std::vector<std::pair<const int, int>>")
    assert.deepStrictEqual([listed.evaluated, listed.expressions[7]], [3, "v[7]"])
    const others = yield* named(() => true, undefined, "std::map<int, int>")
    assert.strictEqual(others.evaluated, 3)
  })
)
