/** Values in memory that cannot be read, on both LLDB backends. GDB says the same: `Cannot access memory at address`. */
import { assert, layer } from "@effect/vitest"
import { Errors } from "@sigtrap/protocol"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

const unreadable = [
  ["*(int*)0", "0x0"],
  ["items[9999999]", undefined],
  ["items[9999999].name", undefined],
  ["bad->id", "0x1000"],
  ["*bad", "0x1000"],
  ["bad->name", "0x1004"],
  ["bad->val", "0x1020"],
  ["**pp", "0x1000"],
  ["*number", "0x30"],
  ["*local.in", "0x10"],
  ["*list", "0x3000"],
  ["list->size()", "0x3000"]
] as const

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("memory that cannot be read", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`is an error and never an empty value, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const stop = yield* start("unreadable", {
            backend,
            break: [`unreadable.cpp:${line("unreadable.cpp", "use")}`]
          })
          const failure = (error: Errors.SigtrapError) => [Errors.meta(error).code, "detail" in error && error.detail]
          for (const [expression, address] of unreadable) {
            const [code, detail] = failure(yield* Effect.flip(call("print", { expressions: [expression] })))
            assert.strictEqual(code, "EVALUATION_FAILED", expression)
            assert.include(detail, `cannot access memory${address === undefined ? "" : ` at ${address}`}`, expression)
          }
          for (const target of ["bad", "*bad", "local.in", "none", "text", "&bad->val", "list"]) {
            const [code, detail] = failure(yield* Effect.flip(call("expand", { target })))
            assert.deepStrictEqual(
              [code, String(detail).slice(0, 23)],
              ["EVALUATION_FAILED", "cannot access memory at"]
            )
          }
          for (const expression of ["bad->id", "*number"]) {
            assert.strictEqual(failure(yield* Effect.flip(call("watch", { expression })))[0], "EVALUATION_FAILED")
          }
          assert.strictEqual(
            failure(yield* Effect.flip(call("memory.read", { address: "0x1000" })))[0],
            "ADAPTER_ERROR"
          )

          const { variables } = (yield* call("locals", {})).data
          const valueOf = (name: string) => variables.find((one) => one.name === name)?.value.replace(/^0x0+/, "0x")
          assert.strictEqual(valueOf("bad"), "0x1000 <cannot access memory>")
          assert.strictEqual(valueOf("text"), "0x40 <cannot access memory>")
          assert.strictEqual(valueOf("list"), "0x3000 <cannot access memory>")
          assert.match(valueOf("pp") ?? "", /^0x7f[\da-f]+$/)
          assert.include(
            stop.data.event === "stopped" ? stop.data.locals?.map(({ value }) => value).join() : "",
            "<cannot access memory>"
          )
          const members = (yield* call("expand", { target: "local.val" })).data.children
          assert.deepStrictEqual(
            members.map(({ name, value }) => [name, value.replace(/^0x0+/, "0x")]),
            [
              ["a", "3"],
              ["s", "0x20 <cannot access memory>"]
            ]
          )
          // The text of a string, at an address that is not readable.
          const [broken] = (yield* call("expand", { target: "broken" })).data.children
          assert.deepStrictEqual(
            [broken?.name, broken?.value, broken?.attributes],
            ["text", "<unreadable>", ["unreadable"]]
          )
          // What is readable is shown, also if it is empty.
          const second = (yield* call("print", { expressions: ["items[1]", "items[1].name", "local.val"] })).data.values
          assert.match(second[0]?.value ?? "", /^\{(?:id:2, name:""|\.\.\.)/)
          assert.strictEqual(second[1]?.value, `""`)
          assert.match(second[2]?.value ?? "", /^\{(?:a:3, )?(?:s:<cannot access memory>|\.\.\.)\}$/)
        })
      )
    )
  }
})
