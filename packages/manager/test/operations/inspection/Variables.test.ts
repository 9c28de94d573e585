// Variables by name, scope, type and file.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, code } from "../../support.ts"
import { inMain, inSquare } from "../../stoppedSessions.ts"

describe("variables", () => {
  it.effect("are filtered by name; arguments and globals are listed separately", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const names = (input: Parameters<typeof call.locals>[0]) =>
          Effect.map(call.locals(input), ({ data }) => data.variables.map(({ name }) => name))
        assert.deepStrictEqual(yield* names({ filter: "res*" }), ["result"])
        assert.deepStrictEqual(yield* names({ filter: "*n" }), ["n"])
        assert.deepStrictEqual(yield* names({ type: "double" }), [])
        assert.deepStrictEqual(
          (yield* call.args()).data.variables.map(({ kind, name }) => [name, kind]),
          [["n", "arg"]]
        )
        const globals = yield* call.globals({ names: ["counter", "nothing"] })
        assert.deepStrictEqual(globals.data.not_found, ["nothing"])
        assert.strictEqual(globals.data.variables[0]?.value, "7")
        assert.strictEqual((yield* call.print(["n"], { format: "x" })).data.values[0]?.value, "hex of n")
        assert.strictEqual((yield* call.print(["/t", "n"])).data.values[0]?.value, "binary of n")
        yield* call.up()
        assert.deepStrictEqual(
          (yield* call.complete("1 + pair.f")).data.completions.map(({ text }) => text),
          ["1 + pair.first"]
        )
        assert.deepStrictEqual(
          (yield* call.complete("to")).data.completions.map(({ text }) => text),
          ["total"]
        )
      })
    )
  )
})

describe("inspection", () => {
  it.effect("reads variables by name in any scope, and finds where a name is visible", () =>
    inMain(() =>
      Effect.gen(function* () {
        const { data } = yield* call.vars(["total", "counter", "nobody"])
        assert.deepStrictEqual(
          data.variables.map(({ name, value }) => [name, value]),
          [
            ["total", "0"],
            ["counter", "7"]
          ]
        )
        assert.deepStrictEqual(data.not_found, ["nobody"])
        assert.deepInclude((yield* call.find("total")).data.matches[0], { kind: "var", frame: 0, scope: "local" })
        assert.deepInclude((yield* call.find("counter")).data.matches[0], { kind: "var", scope: "global" })
        assert.deepInclude((yield* call.find("square")).data.matches[0], { kind: "func" })
        assert.deepInclude((yield* call.find("pair", { kind: ["type"] })).data.matches[0], { kind: "type" })
        assert.strictEqual(yield* code(call.find("nobody")), "SYMBOL_NOT_FOUND")
      })
    )
  )

  it.effect("filters, sorts and scopes locals", () =>
    inMain(() =>
      Effect.gen(function* () {
        const names = (input: Parameters<typeof call.locals>[0]) =>
          Effect.map(call.locals(input), ({ data }) => data.variables.map(({ name }) => name))
        assert.deepStrictEqual(yield* names({ sort: true }), ["i", "pair", "total"])
        assert.deepStrictEqual(yield* names({ filter: "/^[it]/" }), ["total", "i"])
        assert.deepStrictEqual(yield* names({ type: "^int$" }), ["total", "i"])
        assert.deepStrictEqual(yield* names({ scope: ["args"] }), ["total"])
        assert.deepStrictEqual(yield* names({ scope: ["globals"] }), ["counter"])
        assert.deepStrictEqual(yield* names({ scope: ["registers"] }), ["pc", "sp", "st0"])
        assert.strictEqual(yield* code(call.locals({ type: "(" })), "USAGE")
        assert.strictEqual(yield* code(call.locals({ filter: "/(/" })), "USAGE")
      })
    )
  )

  it.effect("lists the globals of the frame's file, of the others, or of one", () =>
    inMain(() =>
      Effect.gen(function* () {
        const rows = (input: Parameters<typeof call.globals>[0]) =>
          Effect.map(call.globals(input), ({ data }) =>
            data.variables.map(({ file = "", name, value }) => `${file}${name}=${value}`)
          )
        assert.deepStrictEqual(yield* rows({}), ["counter=7", "other.ccounter=9", "other.climit=100"])
        assert.deepStrictEqual(yield* rows({ file: "other.c" }), ["other.ccounter=9", "other.climit=100"])
        assert.deepStrictEqual(yield* rows({ file: "app.c" }), ["counter=7"])
        assert.deepStrictEqual(yield* rows({ names: ["limit"] }), ["other.climit=100"])
        assert.deepStrictEqual((yield* call.globals({ names: ["limit", "nosuch"] })).data.not_found, ["nosuch"])
        assert.strictEqual(yield* code(call.globals({ file: "nosuch.c" })), "SOURCE_NOT_FOUND")
      })
    )
  )
})
