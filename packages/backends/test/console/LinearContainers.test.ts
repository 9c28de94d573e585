/** Pages of containers whose elements are found one from the other. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LinearContainers from "../../src/console/lldb/values/LinearContainers.ts"

it("are recognized by their type", () => {
  const names: ReadonlyArray<readonly [string, string | undefined]> = [
    ["std::map<int, int>", "std::map"],
    ["const std::__1::multiset<long>", "std::multiset"],
    ["std::__cxx11::list<int> &", "std::list"],
    ["std::forward_list<int>", "std::forward_list"],
    ["std::vector<std::map<int, int> >", undefined],
    ["std::unordered_map<int, int>", undefined],
    ["my::map<int, int>", undefined]
  ]
  for (const [type, name] of names) assert.strictEqual(LinearContainers.nameOf(type), name, type)
})

it.effect("are refused far from what was read, with what to do instead", () =>
  Effect.gen(function* () {
    const { check, forget } = LinearContainers.make()
    const map = { type: "std::map<int, int>", object: "m" }
    const refused = yield* Effect.flip(check(1, map, 99_900, 100))
    assert.include(refused.message, "linear")
    assert.deepStrictEqual(
      refused.hints.map((hint) => ("operation" in hint ? hint.operation : "")),
      ["print", "expand"]
    )
    yield* check(1, map, 9_900, 100)
    yield* check(1, map, 19_900, 100)
    yield* Effect.flip(check(2, map, 19_900, 100))
    yield* check(2, { type: "std::vector<int>" }, 99_900, 100)
    forget()
    yield* Effect.flip(check(1, map, 19_900, 100))
  })
)
