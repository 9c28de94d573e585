/** Names, places and values that do not exist, on both LLDB backends: the error says what is wrong, and its hint works. */
import { assert, layer } from "@effect/vitest"
import type { Errors } from "@sigtrap/protocol"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a call with a wrong word", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`names the word and a call that works, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("app", { backend, break: [`app.c:${line("app.c", "bug")}`] })
          const refused = <E extends Errors.SigtrapError>(failing: Effect.Effect<unknown, E>) =>
            Effect.map(Effect.flip(failing), (error) => ({ message: error.message, hint: error.hints[0] }))
          const told = Effect.fnUntraced(function* <E extends Errors.SigtrapError>(
            failing: Effect.Effect<unknown, E>,
            message: string,
            input: unknown
          ) {
            const error = yield* refused(failing)
            assert.include(error.message, message)
            const hint = error.hint
            assert.deepStrictEqual(hint !== undefined && "input" in hint ? hint.input : undefined, input, message)
          })
          // Places.
          yield* told(call("break", { at: "app.c" }), "it is a source file, so a line is needed", { at: "app.c:11" })
          yield* told(call("break", { at: "+900" }), "nearest: app.c:", { at: "app.c:29" })
          yield* told(call("break", { regex: "nosuch" }), "no function matches", { regex: "nosuch", pending: true })
          yield* told(call("break", { function: "sum_score" }), "nearest: sum_scores", { function: "sum_scores" })
          yield* told(call("break", { at: "main", line: 3 }), "LOCATION and --line cannot be combined", {
            command: "break"
          })
          // A refused call has not changed the program, so its run can be repeated.
          yield* told(call("set", { target: "nosuch", value: "5" }), "no variable 'nosuch'", {})
          yield* told(call("memory.write", { address: "&total", values: ["zz"] }), "zz is not a whole number", {
            command: "memory.write"
          })
          yield* told(call("back", {}), "the first stop is #1", {})
          // Names.
          yield* told(call("print", { expressions: ["nosuch1 + nosuch2"] }), "no variable 'nosuch", {})
          yield* told(
            call("eval", { expression: "sum_score(items, 1)" }),
            "no function 'sum_score'; nearest: sum_scores",
            {
              expression: "sum_scores(items, 1)"
            }
          )
          // Values.
          yield* call("up", {})
          yield* told(call("set", { target: "items[0].name", value: "'c'" }), "it is an array of characters", {
            target: "items[0].name",
            value: '"c"'
          })
          yield* told(call("set", { target: "items[0]", value: "5" }), "set one of its members", {
            expressions: ["items[0]"]
          })
          yield* told(call("watch", { expression: "main" }), "'main' is not a variable in memory", {})
          // Registers of a caller's frame that no function saved are left out.
          const { groups } = (yield* call("registers", { frame: 1 })).data
          const values = groups.flatMap(({ registers }) => registers)
          assert.isAbove(values.length, 0)
          assert.deepStrictEqual(
            values.filter(({ value }) => value.includes("error")),
            []
          )
          if (process.arch === "x64") {
            const { warnings } = yield* call("registers", { names: ["rax"], frame: 1 })
            assert.strictEqual(warnings[0]?.message, "frame 1 has no saved value of 'rax'")
          }
        })
      )
    )
  }
})
