/** Records of values at places, on both LLDB backends, compared with the program's source. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a trace", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`records every pass of two lines, up to the end of the program, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const [body, write] = [line("counted.c", "body"), line("counted.c", "write")]
          yield* start("counted", { backend, break: ["main"] })
          const specs: [string, string] = [
            `counted.c:${body} :: {i} {total} {total + i}`,
            `counted.c:${write} if n % 2 == 1 :: {n} {written}`
          ]
          const { data } = yield* call("trace", { specs })
          assert.deepInclude(data, { hits: 15, dropped: 0, by: "script", end: "exit" })
          assert.deepStrictEqual(
            data.points.map(({ hits }) => hits),
            [10, 5]
          )
          const { rows } = (yield* call("hits.list", { last: 100 })).data
          const [first, second] = data.points.map(({ id }) => rows.filter(({ point }) => point === id))
          assert.deepStrictEqual(
            first?.map(({ values }) => values),
            Array.from({ length: 10 }, (_, i) => {
              const total = (i * (i - 1)) / 2
              return { i: `${i}`, total: `${total}`, "total + i": `${total + i}` }
            })
          )
          assert.deepStrictEqual(
            second?.map(({ values }) => values),
            [1, 3, 5, 7, 9].map((n) => ({ n: `${n}`, written: `${10 + n}` }))
          )
          assert.deepStrictEqual(
            rows.map(({ hit }) => hit),
            Array.from({ length: 15 }, (_, index) => index + 1)
          )
        })
      )
    )

    it.effect(`ends at its limit, at another stop, and leaves no breakpoint, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const body = line("counted.c", "body")
          yield* start("counted", { backend, break: ["main"] })
          const limited = yield* call("trace", { specs: [`counted.c:${body} :: {i}`], max: 4 })
          assert.deepInclude(limited.data, { hits: 4, end: "max" })
          assert.strictEqual(limited.state, "stopped")
          assert.strictEqual((yield* call("print", { expressions: ["i"] })).data.values[0]?.value, "3")
          yield* call("break", { at: "finish_up" })
          const adapter = yield* call("trace", { specs: [`counted.c:${body} :: {i}`], engine: "adapter" })
          assert.deepInclude(adapter.data, { hits: 6, end: "stop", by: "adapter" })
          assert.deepStrictEqual(
            adapter.data.last.map(({ values }) => values["i"]),
            ["5", "6", "7", "8", "9"]
          )
          assert.strictEqual(adapter.data.report?.location?.function, "finish_up")
          assert.deepStrictEqual(
            (yield* call("breakpoint.list", {})).data.breakpoints.map(({ requested }) => requested.text),
            ["main", "finish_up"]
          )
          assert.deepInclude((yield* call("hits.trend", { id: limited.data.id, field: "i" })).data, {
            first: "0",
            last: "3",
            min: 0,
            max: 3,
            changes: 3
          })
        })
      )
    )
  }

  it.effect("masks secrets that the debugger records", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("secrets", { break: ["main"] })
        const loop = line("secrets.c", "loop")
        const { data } = yield* call("trace", { specs: [`secrets.c:${loop} :: {i} {client_secret}`], max: 3 })
        assert.strictEqual(data.by, "script")
        assert.deepStrictEqual(
          data.last.map(({ values }) => values),
          [0, 1, 2].map((i) => ({ i: `${i}`, client_secret: "<masked>" }))
        )
      })
    )
  )

  it.effect("that takes its time ends with the program stopped", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("loop", { break: ["main"] })
        const at = line("loop.c", "loop")
        const { data, state } = yield* call("trace", { specs: [`loop.c:${at} :: {turns}`], max: 10_000, for: "300ms" })
        assert.deepInclude(data, { end: "time" })
        assert.strictEqual(state, "stopped")
        assert.isAbove(data.hits, 0)
        const refused = yield* Effect.flip(call("trace", { specs: ["loop.c:8"] }))
        assert.strictEqual(refused._tag, "Usage")
      })
    )
  )
})
