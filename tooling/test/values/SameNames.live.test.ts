/**
 * A type that has the name of another one, or none, is shown by its own members, on both LLDB backends. LLDB keeps what it knows of the
 * formatters of a type by the type's name.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("types of one name", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`are shown by their own members (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const texts = (names: ReadonlyArray<string>) =>
            Effect.map(call("locals", { names }), ({ data }) => data.variables.map(({ value }) => value))
          const stop = `same_names.c:${line("same_names.c", "first")}`
          yield* start("same_names", { backend, break: [stop] })
          assert.deepStrictEqual(yield* texts(["own", "either", "unnamed"]), ["{value:1}", "{value:5}", "{value:2}"])
          yield* call("finish", {})
          assert.deepStrictEqual(yield* texts(["own", "either", "unnamed", "unnamed_union"]), [
            "{values:{1, 2, 3}}",
            '{values:{65, 66}, text:"A\\0\\0\\0B"}',
            "{values:{8, 9}}",
            '{values:{67, 68}, text:"C\\0\\0\\0D"}'
          ])
        })
      )
    )
  }
})
