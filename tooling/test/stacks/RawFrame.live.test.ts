/** The frame in which the debugger's own commands run, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a raw command", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`runs in the selected frame, whatever frame was read before, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          yield* start("app", { backend, break: ["sum_scores"] })
          const top = "sum_scores"
          const frameInfo = Effect.map(call("raw", { command: "frame info" }), ({ data }) => data.output)
          const selected = Effect.map(call("frame", {}), ({ data }) => data.frame.function)
          assert.include(yield* frameInfo, `frame #0: `)
          yield* call("locals", { frame: 1 })
          assert.include(yield* frameInfo, "frame #0: ")
          assert.include((yield* call("raw", { command: "frame variable" })).data.output, "total")
          assert.strictEqual(yield* selected, top)
          yield* call("frame", { index: "1" })
          assert.include(yield* frameInfo, "frame #1: ")
          yield* call("raw", { command: "frame select 0" })
          assert.strictEqual(yield* selected, top)
          yield* call("raw", { command: "up" })
          assert.strictEqual(yield* selected, "main")
          yield* call("locals", { frame: 0 })
          assert.include(yield* frameInfo, "frame #1: ")
        })
      )
    )
  }
})
