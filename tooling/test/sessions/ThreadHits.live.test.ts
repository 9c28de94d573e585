/** Hits of breakpoints that several threads pass at the same time, counted. The program says how often it passed them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs, type Debugging } from "../support/fixturePrograms.ts"

const threads = 4
const calls = 60
const hits = threads * calls

/** Starts the program and returns the line that every thread passes. */
const begin = Effect.fnUntraced(function* ({ start }: Debugging, backend: "dap" | "lldb-cli") {
  const { line } = yield* Programs
  yield* start("crowd", { backend, args: [`${threads}`, `${calls}`], break: ["main"] })
  return `crowd.c:${line("crowd.c", "visit")}`
})

layer(platform, { excludeTestServices: true, timeout: "240 seconds" })("hits of several threads", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`are all counted if they do not stop the program, under ${backend}`, () =>
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
              assert.strictEqual((yield* call("continue", {})).state, "exited")
              assert.strictEqual((yield* call("breakpoint.info", { id: 2 })).data.hit_count, hits, kind)
            }
            if (kind === "message") {
              const { text } = (yield* call("output", { channel: ["log"], limit: 1_000_000 })).data
              assert.lengthOf(new Set(text.trim().split("\n")), hits)
            }
            yield* call("stop", {})
          }
        })
      )
    )
  }
})
