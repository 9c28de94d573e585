/**
 * Watchpoints that do not stop the program at a write, with a real debugger. LLDB before 21 passes a breakpoint at the address where
 * it resumes, and LLDB 19 loses a step that ends at such a write.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs, type Debugging } from "../support/fixturePrograms.ts"
import { hasWatchpoints } from "../support/tools.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const session = "default"

/** Options of watchpoints that never stop this program. */
const never = [{ condition: "value == 1000" }, { hits: "1000" }, { hits: "%1000" }] as const

/** Stops at a line of the program, and watches its value. */
const watched = Effect.fnUntraced(function* (
  { call, start }: Debugging,
  { backend, mark, ...watch }: { backend: "dap" | "lldb-cli"; mark: string; condition?: string; hits?: string }
) {
  const { line } = yield* Programs
  yield* start("watched", { backend, break: [`watched.c:${line("watched.c", mark)}`], replace: true })
  yield* call("breakpoint.remove", { ids: [1], session })
  yield* call("watch", { expression: "value", ...watch, session })
})

/** The lines and the reasons of a number of steps. */
const steps = ({ call }: Debugging, how: "next" | "step" | "stepi", count: number) =>
  Effect.map(
    Effect.forEach(Array.from({ length: count }), () => call(how, { session })),
    (reports) => reports.map(({ data }) => `${data.reason} ${data.location?.line}`)
  )

for (const backend of ["dap", "lldb-cli"] as const) {
  suite(`a watchpoint that does not stop the program (${backend})`, (it) => {
    it.effect("ends no step", () =>
      debugging((live) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const lines = (how: string, ...marks: ReadonlyArray<string>) =>
            marks.map((mark) => `${how} ${line("watched.c", mark)}`)
          for (const watch of never) {
            yield* watched(live, { backend, mark: "first", ...watch })
            const over = ["call", "second", "after", "turns", "first"]
            assert.deepStrictEqual(yield* steps(live, "next", 5), lines("step", ...over))
            assert.deepStrictEqual(yield* steps(live, "step", 2), lines("step", "call", "inner"))
            yield* live.call("finish", { session })
            assert.deepStrictEqual(yield* steps(live, "next", 2), lines("step", "second", "after"))
          }
          yield* live.call("stop", { session })
          assert.deepStrictEqual(live.alive(), [])
        })
      ).pipe(Effect.scoped)
    )

    it.effect("hides no breakpoint", () =>
      debugging((live) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const { call } = live
          const at = (mark: string) => `watched.c:${line("watched.c", mark)}`
          for (const watch of never) {
            yield* watched(live, { backend, mark: "first", ...watch })
            yield* call("break", { at: at("call"), hits: "3", session })
            yield* call("break", { at: at("after"), condition: "turn == 5", session })
            yield* call("break", { at: at("second"), log: "turn {turn}", session })
            const third = yield* call("continue", { session })
            assert.deepInclude(third.data, { reason: "breakpoint", breakpoints: [3] })
            yield* call("breakpoint.remove", { ids: [3], session })
            const fifth = yield* call("continue", { session })
            assert.deepInclude(fifth.data, { reason: "breakpoint", breakpoints: [4] })
            const printed = yield* call("print", { expressions: ["turn"], session })
            assert.include(JSON.stringify(printed.data), '"5"')
            assert.deepInclude((yield* call("continue", { session })).data, { event: "exited", exit_code: 0 })
            const { data } = yield* call("output", { channel: ["log"], session })
            const turns = data.entries.map(({ text }) => text).join("")
            assert.strictEqual(turns, Array.from({ length: 12 }, (_, turn) => `turn ${turn}\n`).join(""))
          }
          yield* live.call("stop", { session })
          assert.deepStrictEqual(live.alive(), [])
        })
      ).pipe(Effect.scoped)
    )

    it.effect.runIf(hasWatchpoints())(
      "stops where its condition holds or its count is reached, with the breakpoint there",
      () =>
        debugging((live) =>
          Effect.gen(function* () {
            const { line } = yield* Programs
            const { call } = live
            yield* watched(live, { backend, mark: "first", condition: "value == 1" })
            yield* call("break", { at: `watched.c:${line("watched.c", "call")}`, session })
            const hits = Effect.map(call("breakpoint.list", { session }), ({ data }) =>
              data.breakpoints.map(({ hit_count }) => hit_count)
            )
            assert.deepInclude((yield* call("continue", { session })).data, { reason: "breakpoint", breakpoints: [3] })
            const both = yield* call("continue", { session })
            assert.deepInclude(both.data, { reason: "watchpoint", breakpoints: [2, 3] })
            assert.deepInclude(both.data.watch, { new: "1" })
            // The writes between did not stop the program, so the value before this one is not known.
            assert.isUndefined(both.data.watch?.old)
            assert.deepStrictEqual(yield* hits, [1, 2])
            yield* watched(live, { backend, mark: "first", hits: "4" })
            const fourth = yield* call("continue", { session })
            assert.deepInclude(fourth.data, { reason: "watchpoint", breakpoints: [2] })
            assert.isUndefined(fourth.data.watch?.old)
            assert.deepStrictEqual(yield* hits, [4])
            yield* live.call("stop", { session })
            assert.deepStrictEqual(live.alive(), [])
          })
        ).pipe(Effect.scoped)
    )
  })
}
