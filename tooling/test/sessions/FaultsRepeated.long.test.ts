/** Repeated pauses, floods of output and names that do not resolve, with real programs. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a breakpoint", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`that does not resolve has a hint with the nearest name (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          for (const [fields, operation, input] of [
            [{ break: ["app.c:13", "sum_scoers if n > 0"] }, "start", { break: ["app.c:13", "sum_scores if n > 0"] }],
            [{ break: ["apk.c:13"] }, "start", { break: ["app.c:13"] }],
            [{ logpoint: ["sum_scoers :: n={n}"] }, "start", { logpoint: ["sum_scores :: n={n}"] }]
          ] as const) {
            const failed = yield* Effect.flip(start("app", { backend, ...fields }))
            const [hint] = failed.hints
            assert(hint !== undefined && "input" in hint, failed.message)
            assert.strictEqual(hint.operation, operation, failed.message)
            assert.deepInclude(hint.input, input)
          }
          yield* start("app", { backend, stop_at_main: true })
          const failed = yield* Effect.flip(call("break", { at: "sum_scoers" }))
          assert.deepStrictEqual(
            failed.hints.map((hint) => ("input" in hint ? hint.input["at"] : hint)),
            ["sum_scores", "sum_scoers"]
          )
        })
      )
    )
  }
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a running program", (it) => {
  it.effect("stops at every pause, however soon after continue it comes", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("loop", { wait: false })
        yield* call("pause", {})
        for (let time = 0; time < 50; time++) {
          yield* call("continue", { wait: false })
          const paused = yield* call("pause", {})
          assert.deepInclude(paused.data, { event: "stopped", reason: "pause" }, `time ${time}`)
        }
        yield* call("eval", { expression: "go_on = 0" })
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
      })
    )
  )

  it.effect("reaches a breakpoint after 200 MB of output, within the bounds of the journal", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const stopped = yield* start("flood", { args: ["200"], break: ["done"] })
        assert.deepInclude(stopped.data, { event: "stopped", reason: "breakpoint" })
        yield* call("finish", {})
        const newest = (yield* call("output", {})).data
        assert.match(newest.text, /03276799 the quick brown fox.*\n$/)
        const bytes = new TextEncoder().encode(newest.text).length + (newest.earlier ?? 0)
        assert.isAtMost(bytes, 10 * 1024 * 1024)
        const oldest = (yield* call("output", { since: 0 })).data
        assert.isAbove(oldest.dropped, 0)
      })
    )
  )
})
