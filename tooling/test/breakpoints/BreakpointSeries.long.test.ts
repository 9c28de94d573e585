/** Breakpoints at every line of a file: added one by one, they have the locations that LLDB lists for all of them together. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("breakpoints at every line", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    for (const [program, file] of [
      ["shapes", "shapes.cpp"],
      ["values", "values.cpp"],
      ["threads", "threads.c"]
    ] as const) {
      it.effect(`of ${file} are at the same places one by one and together (${backend})`, () =>
        debugging(({ call, start }) =>
          Effect.gen(function* () {
            yield* start(program, { backend, stop_at_main: true })
            const { file: path, lines } = (yield* call("breakpoint.lines", { at: file })).data
            const places = Effect.gen(function* () {
              const { breakpoints } = (yield* call("breakpoint.list", {})).data
              return Object.fromEntries(
                breakpoints.map(({ locations, requested, resolved }) => [requested.text, { locations, resolved }])
              )
            })
            const set = (concurrency: 1 | "unbounded") =>
              Effect.forEach(lines, ({ line }) => call("break", { at: `${path}:${line}` }), { concurrency })
            assert.isAbove(lines.length, 10)
            yield* call("breakpoint.remove", { all: true })
            yield* set(1)
            const alone = yield* places
            yield* call("breakpoint.remove", { all: true })
            yield* set("unbounded")
            assert.deepStrictEqual(alone, yield* places)
          })
        )
      )
    }
  }
})
