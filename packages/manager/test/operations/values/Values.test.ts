// Values that are expanded, printed and set.
import { assert, describe, it } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect } from "effect"
import { members } from "../../../src/operations/values/Types.ts"
import { call, code } from "../../support.ts"
import { inSquare } from "../../stoppedSessions.ts"

describe("values", () => {
  it.effect("are expanded by pages and levels", () =>
    inSquare(() =>
      Effect.gen(function* () {
        yield* call.up()
        const page = yield* call.expand("pair", { count: 1 })
        assert.deepStrictEqual(
          page.data.children.map(({ name }) => name),
          ["first"]
        )
        assert.deepInclude(page.truncated[0], {
          shown: 1,
          total: 2,
          hints: [Hint.call("expand", { target: "pair", start: 1, count: 1 })]
        })
        const rest = yield* call.expand("pair", { count: 1, start: 1 })
        assert.deepStrictEqual(rest.truncated, [])
        const deep = (yield* call.expand("pair", { depth: 3 })).data.children[1]
        assert.strictEqual(deep?.children?.[0]?.children?.[0]?.value, '"two"')
        const ref = (yield* call.print(["pair"])).data.values[0]?.ref ?? ""
        assert.strictEqual((yield* call.expand(ref)).data.children.length, 2)
        const few = yield* call.print(["pair"], { max_items: 1 })
        assert.deepInclude(few.truncated[0], { path: "data.values[0].children", shown: 1, total: 2 })
      })
    )
  )

  it.effect("are set and read back", () =>
    inSquare((fake) =>
      Effect.gen(function* () {
        const set = yield* call.set("n", "5")
        assert.deepInclude(set.data, { name: "n", old: "1" })
        assert.strictEqual(set.data.new.value, "(5)")
        assert.strictEqual(yield* code(call.set("m", "5")), "VARIABLE_NOT_FOUND")
        assert.strictEqual(yield* code(call.set("f()", "5")), "EVALUATION_FAILED")
        const evaluated = (yield* fake.newest).requests.filter(({ request }) => request === "evaluate")
        assert.isFalse(evaluated.some(({ detail }) => JSON.stringify(detail).includes("f()")))
      })
    )
  )

  it("of a type have the members of its first level", () => {
    const definition =
      "struct item : base {\n    int id;\n    char *name[16];\n    struct {\n        int inner;\n    } part;\n    unsigned int flag : 3;\n    static int count;\n    void run();\n}"
    assert.deepStrictEqual(members(definition), [
      { name: "id", type: "int" },
      { name: "name", type: "char *[16]" },
      { name: "flag", type: "unsigned int : 3" }
    ])
  })
})

it.effect("print with array shows members of a value that is neither a pointer nor an array", () =>
  inSquare(() =>
    Effect.gen(function* () {
      // An index of a map is a key: `pair[0]` would be its member of that key.
      const [value] = (yield* call.print(["pair"], { frame: 1, array: 1 })).data.values
      assert.deepStrictEqual(
        value?.children?.map(({ name }) => name),
        ["first"]
      )
    })
  )
)
