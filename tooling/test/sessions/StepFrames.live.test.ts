/** Steps and `finish` act on the frame that is shown or selected, on each LLDB backend. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("the frame of a step", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(
      `is the selected one for finish, and the user's one where the program stopped in a library (${backend})`,
      () =>
        debugging(({ call, start }) =>
          Effect.gen(function* () {
            const { line } = yield* Programs
            yield* start("deep", { backend, break: [`deep.c:${line("deep.c", "leaf")}`] })
            const n = (frame?: number) =>
              Effect.map(
                call("print", { expressions: ["n"], ...(frame === undefined ? {} : { frame }) }),
                ({ data }) => data.values[0]?.value
              )
            // A frame that was only read does not count.
            assert.strictEqual(yield* n(2), "1")
            const inner = (yield* call("finish", {})).data
            assert.deepInclude(inner, { event: "stopped", reason: "finish" })
            assert.strictEqual(inner.return_value?.value, "0")
            assert.strictEqual(yield* n(), "0")
            // `leaf(0)` is 0, and `down(n)` adds n: 0, 1, 3.
            yield* call("up", { count: 2 })
            const outer = (yield* call("finish", {})).data
            assert.deepInclude(outer, { event: "stopped", reason: "finish" })
            assert.strictEqual(outer.return_value?.value, "3")
            assert.strictEqual(yield* n(), "3")

            yield* call("break", { at: "printf" })
            const library = (yield* call("continue", {})).data
            assert.isUndefined(library.location?.line)
            const next = (yield* call("next", {})).data
            const end = line("deep.c", "print") + 1
            assert.deepInclude(next, { event: "stopped", reason: "step", ran: [{ line: end - 1 }] })
            assert.deepInclude(next.location, { function: "main", line: end })
            assert.isUndefined(next.returned_from)
          })
        )
    )
  }
})
