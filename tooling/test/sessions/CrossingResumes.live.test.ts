/** Two clients that resume one program at the same moment, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Errors } from "@sigtrap/protocol"
import { Effect, Result } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("two clients that resume at once", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`move the program once with at_stop, and report their own stops without, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const at = `counted.c:${line("counted.c", "body")}`
          let stop = (yield* start("counted", { backend, break: [at] })).stop ?? 0
          const both = (input: { readonly at_stop?: number }) =>
            Effect.all([call("stepi", input), call("stepi", input)].map(Effect.result), { concurrency: "unbounded" })
          const readable = Effect.fnUntraced(function* (data: { readonly location?: { readonly address?: string } }) {
            const { values } = (yield* call("print", { expressions: ["$pc"] })).data
            const pc = /0x[\da-f]+|\d+/.exec(values[0]?.value ?? "")?.[0] ?? "0"
            return BigInt(pc) === BigInt(data.location?.address ?? "1")
          })
          for (let time = 0; time < 20; time++) {
            const answers = yield* both({ at_stop: stop })
            const [moved, ...others] = answers.flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))
            assert.deepStrictEqual([moved?.stop, others], [stop + 1, []])
            assert.isTrue(moved !== undefined && (yield* readable(moved.data)), "the place of the stop")
            const codes = answers.flatMap((one) => (Result.isFailure(one) ? [Errors.meta(one.failure).code] : []))
            assert.deepStrictEqual(codes, ["STALE_STOP"])
            stop += 1
          }
          for (let time = 0; time < 20; time++) {
            const answers = (yield* both({})).flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))
            const stops = answers.map((one) => one.stop ?? 0).toSorted((a, b) => a - b)
            assert.deepStrictEqual(
              stops,
              stops.map((_, index) => stop + 1 + index),
              "each answer has a stop of its own"
            )
            for (const { data } of answers) assert.isDefined(data.location?.address)
            stop += stops.length
          }
        })
      )
    )
  }
})
