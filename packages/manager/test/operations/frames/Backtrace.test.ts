// Frames of a backtrace: pages, hidden frames, matches and their variables.
import { assert, describe, it } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect } from "effect"
import { call, code } from "../../support.ts"
import { inMain, inSquare } from "../../stoppedSessions.ts"

describe("frames", () => {
  it.effect("are paged, and frames of the runtime are hidden", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const all = yield* call.backtrace()
        assert.deepStrictEqual(
          all.data.frames.map((frame) => frame.function),
          ["square", "main"]
        )
        assert.deepStrictEqual([all.data.hidden, all.data.total], [1, 3])
        const first = yield* call.backtrace({ limit: 1 })
        assert.deepInclude(first.truncated[0], { hints: [Hint.call("backtrace", { limit: 1, start: 1 })], total: 3 })
        const whole = yield* call.backtrace({ all_frames: true })
        assert.deepStrictEqual(
          whole.data.frames.map(({ hidden, index }) => [index, hidden]),
          [
            [0, undefined],
            [1, undefined],
            [2, true]
          ]
        )
        assert.strictEqual((yield* call.backtrace({ start: 2, all_frames: true })).data.frames[0]?.hidden, true)
        assert.strictEqual((yield* call.locals({ frame: 1 })).data.frame.function, "main")
        assert.strictEqual((yield* call.context({ frame: 1 })).data.location?.function, "main")
      })
    )
  )
})

describe("a backtrace", () => {
  it.effect("shows the outermost frames, those that match, and their variables", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("square")
        yield* call.continue()
        const functions = (input: Parameters<typeof call.backtrace>[0]) =>
          Effect.map(call.backtrace(input), ({ data }) => data.frames.map((frame) => frame.function))
        assert.deepStrictEqual(yield* functions({ limit: -1 }), ["main"])
        assert.deepStrictEqual(yield* functions({ limit: -1, all_frames: true }), ["__libc_start_main"])
        assert.deepStrictEqual(yield* functions({ match: "^sq" }), ["square"])
        const [top, caller] = (yield* call.backtrace({ locals: true })).data.frames
        assert.deepStrictEqual(
          [top?.locals?.map(({ name }) => name), caller?.locals?.map(({ name }) => name)],
          [["result"], ["i", "pair"]]
        )
        const [args] = (yield* call.backtrace({ args: true })).data.frames
        assert.deepStrictEqual(
          args?.locals?.map(({ name }) => name),
          ["n"]
        )
        assert.strictEqual(yield* code(call.backtrace({ match: "(" })), "USAGE")
        assert.strictEqual(yield* code(call.backtrace({ limit: 0 })), "USAGE")
      })
    )
  )
})
