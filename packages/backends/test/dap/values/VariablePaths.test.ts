// Values that are read by their paths, where an evaluation can run code of the program.
import { assert, describe, it } from "@effect/vitest"
import { RunsCode, type Backend } from "@sigtrap/manager"
import { Effect } from "effect"
import * as Values from "../../../src/dap/values/Values.ts"
import * as VariablePaths from "../../../src/dap/values/VariablePaths.ts"

const object = (name: string, handle: number): Backend.Value => ({ name, value: "Object", handle })
const simple = (name: string, value: string): Backend.Value => ({ name, value, handle: 0 })

/** The members of the values: 1 has a getter, in the form of js-debug 1.112. */
const members: { readonly [handle: number]: ReadonlyArray<Backend.Value> } = {
  1: [
    Values.valueOf(
      {
        name: "area",
        value: "ƒ area() { return work() }",
        evaluateName: "box.area",
        variablesReference: 9,
        presentationHint: { lazy: true }
      },
      "[Getter]"
    ),
    object("items", 2)
  ],
  2: [simple("0", "'a'"), simple("1", "'b'"), simple("length", "2")]
}

const read = VariablePaths.reader(
  {
    locals: () => Effect.succeed([object("box", 1), simple("n", "3")]),
    around: () => Effect.succeed([simple("n", "hidden"), simple("limit", "8")]),
    children: (handle, start, count) => Effect.succeed((members[handle] ?? []).slice(start, start + count))
  },
  "js-debug"
)

/** Returns the value of an expression, `evaluated` if it was evaluated, or the text of its refusal. */
const valueOf = (expression: string, runsCode: true | string) =>
  read(expression, 0, Effect.succeed(simple(expression, "evaluated"))).pipe(
    Effect.map(({ value }) => value),
    Effect.catchTag("AdapterError", ({ detail }) => Effect.succeed(detail)),
    Effect.provideService(RunsCode.RunsCode, runsCode)
  )

describe("a path of variables", () => {
  it.effect("is read without an evaluation for a caller who may not run code of the program", () =>
    Effect.gen(function* () {
      const needs = "which needs the tier evaluate"
      const read = ["n", "limit", "box", "box.items[1]", 'box["items"].length', "box?.items?.[0]"]
      assert.deepStrictEqual(yield* Effect.forEach(read, (one) => valueOf(one, needs)), [
        "3",
        "8",
        "Object",
        "'b'",
        "2",
        "'a'"
      ])
      const refused = (why: string) => `${why} without running code of the program, ${needs}`
      for (const one of ["box + 1", "n == 4", '"a" in box', "box[n]", "typeof box"]) {
        assert.strictEqual(
          yield* valueOf(one, needs),
          refused("js-debug reads only variables, members and elements"),
          one
        )
      }
      assert.strictEqual(yield* valueOf("box.area", needs), refused("a getter cannot be read"))
      for (const one of ["box.absent", "process"]) {
        assert.strictEqual(
          yield* valueOf(one, needs),
          refused("js-debug finds no such variable, member or element"),
          one
        )
      }
    })
  )

  it.effect("is an object as its members show it, and else evaluated, for a caller who may", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Effect.forEach(["box", "n", "box.area", "box + 1"], (one) => valueOf(one, true)), [
        "Object",
        "evaluated",
        "evaluated",
        "evaluated"
      ])
    })
  )

  it("has getters that are not opened with the members around them", () => {
    assert.deepStrictEqual(members[1]?.[0], {
      name: "area",
      value: "[Getter]",
      handle: 0,
      expression: "box.area",
      attributes: ["lazy"]
    })
  })
})
