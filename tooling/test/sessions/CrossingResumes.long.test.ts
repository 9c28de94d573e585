/**
 * Two hundred pairs of clients that resume one program at the same moment, on both LLDB backends. What each answer says of its
 * stop is compared with the same steps made by one client alone.
 */
import { assert, layer } from "@effect/vitest"
import { Errors } from "@sigtrap/protocol"
import { Effect, Result } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

/** Pairs of resumes. */
const pairs = 200

layer(platform, { excludeTestServices: true, timeout: "300 seconds" })("pairs of resumes", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`are answered with the stops that they caused, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const input = { backend, break: [`counted.c:${line("counted.c", "body")}`] }
          const first = (yield* start("counted", { ...input, session: "alone" })).stop ?? 0
          const places = new Map<number, string | undefined>()
          for (let count = 0; count < 2 * pairs; count++) {
            const { data, stop = 0 } = yield* call("stepi", { session: "alone" })
            places.set(stop, data.location?.address)
          }
          yield* call("stop", { session: "alone" })

          let stop = (yield* start("counted", { ...input, session: "pairs" })).stop ?? 0
          assert.strictEqual(stop, first)
          const step = Effect.result(call("stepi", { session: "pairs" }))
          for (let pair = 0; pair < pairs; pair++) {
            const answers = yield* Effect.all([step, step], { concurrency: "unbounded" })
            const moved = answers.flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))
            const stops = moved.map((one) => one.stop ?? 0).toSorted((a, b) => a - b)
            assert.deepStrictEqual(
              stops,
              stops.map((_, index) => stop + 1 + index),
              `pair ${pair}`
            )
            assert.isNotEmpty(stops)
            // The other client's resume may find the program running; it then moves nothing.
            const refused = answers.flatMap((one) => (Result.isFailure(one) ? [Errors.meta(one.failure).code] : []))
            for (const code of refused) assert.strictEqual(code, "INVALID_STATE")
            for (const { data, stop: at = 0 } of moved) {
              // A stop that the other client left at once is reported without its place, which the answer says.
              if (data.moved_on === undefined)
                assert.strictEqual(data.location?.address, places.get(at), `pair ${pair}`)
              else assert.strictEqual(data.moved_on.stop, at + 1)
            }
            stop += stops.length
          }
          const { location } = (yield* call("status", { session: "pairs" })).data
          assert.strictEqual(location?.address, places.get(stop))
        })
      )
    )
  }
})
