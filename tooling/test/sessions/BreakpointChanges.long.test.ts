/** Breakpoints that are changed while eight threads are at them, and pauses there: LLDB reports false stops, which no client sees. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs, type Debugging } from "../support/fixturePrograms.ts"

/** Starts eight threads that call one function all the time. */
const crowd = ({ start }: Debugging) =>
  Effect.map(start("crowd", { args: ["8", "100000000"], wait: false }), () => undefined)

/** No thread has this number. */
const condition = "id == 99"

layer(platform, { excludeTestServices: true, timeout: "280 seconds" })(
  "a breakpoint whose condition is false",
  (it) => {
    it.effect("stops no thread while it is set and removed", () =>
      debugging((own) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const { call } = own
          yield* crowd(own)
          for (let round = 0; round < 30; round++) {
            const { data } = yield* call("break", { at: `crowd.c:${line("crowd.c", "visit")}`, condition })
            // Hits happen meanwhile.
            yield* Effect.sleep("30 millis")
            yield* call("breakpoint.remove", { ids: [data.id] })
            yield* Effect.sleep("10 millis")
            const { sessions } = (yield* call("sessions", {})).data
            assert.strictEqual(sessions[0]?.state, "running", `round ${round}`)
          }
        })
      )
    )

    it.effect("has no hit when the program is paused", () =>
      debugging((own) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const { call } = own
          yield* crowd(own)
          yield* call("break", { at: `crowd.c:${line("crowd.c", "visit")}`, condition })
          for (let round = 0; round < 15; round++) {
            yield* Effect.sleep("20 millis")
            const { data } = yield* call("pause", {})
            assert.deepInclude(data, { event: "stopped", reason: "pause", breakpoints: [] }, `round ${round}`)
            yield* call("continue", { wait: false })
          }
          const [breakpoint] = (yield* call("breakpoint.list", {})).data.breakpoints
          assert.strictEqual(breakpoint?.hit_count, 0)
        })
      )
    )
  }
)
