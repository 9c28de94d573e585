import { assert, describe, it } from "@effect/vitest"
import { Operations } from "@sigtrap/protocol"
import { Effect } from "effect"
import * as OperateTool from "../../src/tools/OperateTool.ts"
import * as ToolInput from "../../src/tools/ToolInput.ts"

const print = Operations.byTag("print")

describe("the input of a tool", () => {
  it.each([
    [{ expression: "sum" }, { expressions: ["sum"] }],
    [{ expressions: "sum" }, { expressions: ["sum"] }],
    [{ expression: ["a", "b"] }, { expressions: ["a", "b"] }],
    // A field that is there is not replaced, and one that the operation lacks is refused by the decoder.
    [
      { expression: "a", expressions: ["b"] },
      { expression: "a", expressions: ["b"] }
    ],
    [{ nothing: "a" }, { nothing: "a" }]
  ])("of print %j is read as %j", (input, expected) => {
    assert.deepStrictEqual(ToolInput.coerce(print, input), expected)
  })
})

describe("operate", () => {
  it.effect.each([
    ["memroy.read", "memory.read"],
    ["list_sessions", "sessions"],
    ["breakpoint.lst", "breakpoint.list"]
  ] as const)("names for %s the operation %s", ([given, meant]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(OperateTool.make("full", []).resolve({ operation: given }))
      assert.include(error.message, meant)
    })
  )
})
