/** Calls of the program's functions that do not return, and indirect functions, whose resolvers LLDB runs. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

for (const backend of ["dap", "lldb-cli"] as const) {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })(`calls under ${backend}`, (it) => {
    const stopped = <A, E, R>(
      test: (tools: Parameters<Parameters<typeof debugging>[0]>[0]) => Effect.Effect<A, E, R>
    ) =>
      debugging((tools) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* tools.start("hanging", { break: [`hanging.c:${line("hanging.c", "first")}`], backend })
          yield* test(tools)
          const next = (yield* tools.call("next", {})).data
          assert.deepStrictEqual([next.event, next.location?.line], ["stopped", line("hanging.c", "second")])
        })
      )

    it.effect("end when their time is up, and the stop is as it was", () =>
      stopped(({ call }) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(call("eval", { expression: "spin()", timeout: "300ms" }))
          assert.strictEqual(error._tag, "RequestTimeout")
          const frames = (yield* call("backtrace", {})).data.frames
          assert.strictEqual(frames[0]?.function, "main")
        })
      )
    )

    it.effect("may exceed the debugger's own limit, and may return nothing", () =>
      stopped(({ call }) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* call("eval", { expression: "slow()" })).data.value.value, "42")
          assert.strictEqual((yield* call("eval", { expression: "nothing()" })).data.value.value, "")
        })
      )
    )

    it.effect("end in time when a debugger command makes them", () =>
      stopped(({ call }) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(call("raw", { command: "expression spin()", timeout: "500ms" }))
          assert.strictEqual(error._tag, "RequestTimeout")
          assert.strictEqual((yield* call("eval", { expression: "sum + 1" })).state, "stopped")
        })
      )
    )

    it.effect("reach functions that the loader chooses (ifunc), by name and by pattern", () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          yield* start("hanging", { break: ["main"], backend })
          const named = (yield* call("break", { at: "strlen" })).data
          assert.strictEqual(named.resolved, true)
          const matching = (yield* call("break", { at: "/^strn?cmp$/" })).data
          assert.strictEqual(matching.resolved, true)
          const stop = (yield* call("continue", {})).data
          assert.deepStrictEqual([stop.reason, stop.breakpoints], ["breakpoint", [named.id]])
        })
      )
    )
  })
}
