/** Hits of breakpoints that several threads pass at the same time, counted. The program says how often it passed them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs, type Debugging } from "../support/fixturePrograms.ts"

const threads = 4
const calls = 40
const hits = threads * calls

/** Milliseconds for one test; each hit is a stop of the debugger. */
const timeout = 120_000

/** Starts the program and returns the line that every thread passes. */
const begin = Effect.fnUntraced(function* ({ start }: Debugging, backend: "dap" | "lldb-cli") {
  const { line } = yield* Programs
  yield* start("crowd", { backend, args: [`${threads}`, `${calls}`], break: ["main"] })
  return `crowd.c:${line("crowd.c", "visit")}`
})

/** Resumes until the program ends, and returns the number of stops before that. */
const run = Effect.fnUntraced(function* ({ call }: Debugging) {
  for (let stops = 0; ; stops++) {
    const { state } = yield* call("continue", { timeout: "2m" })
    if (state === "stopped") continue
    assert.strictEqual(state, "exited")
    return { stops }
  }
})

layer(platform, { excludeTestServices: true, timeout: "240 seconds" })("hits of several threads", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(
      `are all counted if they do not stop the program, under ${backend}`,
      () =>
        debugging((debugger_) =>
          Effect.gen(function* () {
            const { call } = debugger_
            for (const kind of ["count", "message", "trace"] as const) {
              const at = yield* begin(debugger_, backend)
              if (kind === "count") yield* call("break", { at, hits: ">=100000" })
              if (kind === "message") yield* call("logpoint", { at: "visit", message: "{id} {n}", max: 1_000_000 })
              if (kind === "trace") {
                const { hits: recorded } = (yield* call("trace", {
                  specs: [`${at} :: {n}`],
                  engine: "adapter",
                  for: "2m"
                })).data
                assert.strictEqual(recorded, hits)
              } else {
                assert.strictEqual((yield* call("continue", { timeout: "2m" })).state, "exited")
                assert.strictEqual((yield* call("breakpoint.info", { id: 2 })).data.hit_count, hits, kind)
              }
              if (kind === "message") {
                const { text } = (yield* call("output", { channel: ["log"], limit: 1_000_000 })).data
                assert.lengthOf(new Set(text.trim().split("\n")), hits)
              }
              yield* call("stop", {})
            }
          })
        ),
      timeout
    )

    it.effect(
      `are all counted if they stop the program, under ${backend}`,
      () =>
        debugging((debugger_) =>
          Effect.gen(function* () {
            const { call } = debugger_
            const at = yield* begin(debugger_, backend)
            yield* call("break", { at })
            const { stops } = yield* run(debugger_)
            assert.isAbove(stops, 0)
            assert.strictEqual((yield* call("breakpoint.info", { id: 2 })).data.hit_count, hits)
            yield* call("stop", {})
          })
        ),
      timeout
    )

    it.effect(
      `are counted and written once beside the stops of another breakpoint, under ${backend}`,
      () =>
        debugging((debugger_) =>
          Effect.gen(function* () {
            const { call } = debugger_
            const { line } = yield* Programs
            for (const by of ["script", "manager"] as const) {
              yield* begin(debugger_, backend)
              const message = { at: "visit", message: "{id} {n}", max: 1_000_000 }
              yield* call("logpoint", by === "script" ? message : { ...message, hits: "<100000" })
              yield* call("break", { at: `crowd.c:${line("crowd.c", "add")}`, condition: "n % 20 == 7" })
              const { stops } = yield* run(debugger_)
              assert.isAbove(stops, 0)
              const [, log, stopping] = (yield* call("breakpoint.list", {})).data.breakpoints
              assert.deepStrictEqual([log?.hit_count, stopping?.hit_count], [hits, (threads * calls) / 20], by)
              const { text } = (yield* call("output", { channel: ["log"], limit: 1_000_000 })).data
              const lines = text.trim().split("\n")
              assert.lengthOf(lines, hits)
              assert.lengthOf(new Set(lines), hits)
              yield* call("stop", {})
            }
          })
        ),
      timeout
    )

    it.effect(
      `are messages without stops, and each pause is one stop, under ${backend}`,
      () =>
        debugging((debugger_) =>
          Effect.gen(function* () {
            const { call, start } = debugger_
            const { line } = yield* Programs
            for (const at of [`crowd.c:${line("crowd.c", "visit")}`, "visit"]) {
              const { stop: first = 0 } = yield* start("crowd", { backend, args: ["3", "1000000000"], break: ["main"] })
              yield* call("logpoint", { at, message: "{id} {n}", max: 1_000_000 })
              const hits = Effect.map(call("breakpoint.info", { id: 2 }), ({ data }) => data.hit_count)
              for (let count = 1; count <= 4; count++) {
                const before = yield* hits
                yield* call("continue", { wait: false })
                yield* Effect.repeat(hits, { until: (found) => found > before })
                const { data, stop } = yield* call("pause", { timeout: "60s" })
                assert.deepStrictEqual([stop, data.reason, data.breakpoints], [first + count, "pause", []], at)
              }
              const { hit_count } = (yield* call("breakpoint.info", { id: 2 })).data
              const { text } = (yield* call("output", { channel: ["log"], limit: 1_000_000 })).data
              const lines = text.split("\n").filter((one) => one !== "")
              assert.strictEqual(new Set(lines).size, lines.length)
              assert.strictEqual(hit_count, lines.length)
              yield* call("stop", {})
            }
          })
        ),
      timeout
    )
  }
})
