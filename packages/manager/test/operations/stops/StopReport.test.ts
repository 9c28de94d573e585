// The report of a stop: its parts, its size, and what it leaves out.
import { assert, describe, it } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect } from "effect"
import { call, fakeWith, over } from "../../support.ts"
import { inSquare } from "../../stoppedSessions.ts"

describe("a stop report", () => {
  it.effect("has location, source, frames, locals and output, in the requested size", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const { data } = yield* call.continue()
        assert.deepInclude(data, { event: "stopped", reason: "breakpoint", threads: 1, hidden_frames: 1 })
        assert.deepStrictEqual(data.location, { function: "square", file: "/src/app.c", line: 2 })
        assert.deepStrictEqual(data.source?.first, 1)
        assert.strictEqual(data.source?.lines[1], "  int result = n * n;")
        assert.strictEqual(data.source?.lines.length, 3)
        assert.deepStrictEqual(
          data.frames?.map((frame) => [frame.index, frame.function]),
          [
            [0, "square"],
            [1, "main"]
          ]
        )
        assert.deepStrictEqual(
          data.locals?.map(({ name, value }) => [name, value]),
          [
            ["n", "2"],
            ["result", "0"]
          ]
        )
        assert.deepInclude(data.output, { bytes: 8, tail: "total=1" })
        const line = yield* call.next({ context: "line" })
        assert.deepStrictEqual([line.data.source, line.data.locals], [undefined, undefined])
        assert.strictEqual((yield* call.context()).data.source?.lines.length, 8)
      })
    )
  )

  it.effect("marks changes since the previous stop in the same frame, at every read", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const marks = (answer: Effect.Success<ReturnType<typeof call.next>>) =>
          answer.data.locals?.filter(({ changed }) => changed === true).map(({ name }) => name)
        assert.deepStrictEqual(marks(yield* call.wait()), [])
        assert.deepStrictEqual(marks(yield* call.next()), ["result"])
        assert.deepStrictEqual(marks(yield* call.wait()), ["result"])
        assert.deepStrictEqual(marks(yield* call.finish()), [])
        assert.deepStrictEqual(marks(yield* call.next()), ["i"])
      })
    )
  )

  it.effect("reports which part was truncated", () => {
    const fake = fakeWith({})
    const names = Array.from({ length: 61 }, (_, i) => [`v${i}`, `${i}`])
    fake.program = {
      ...fake.program,
      moments: [{ stack: [{ function: "main", line: 7, variables: Object.fromEntries(names) }] }]
    }
    return over(
      fake,
      Effect.gen(function* () {
        const { data, truncated } = yield* call.start({ break: ["main"] })
        assert.strictEqual(data.locals?.length, 8)
        assert.deepStrictEqual(truncated, [
          { path: "data.locals", shown: 8, total: 61, hints: [Hint.call("locals", {})] }
        ])
        const page = yield* call.locals({ start: 20, count: 20 })
        assert.deepStrictEqual(
          page.data.variables.map(({ name }) => name),
          names.slice(20, 40).map(([name]) => name)
        )
        assert.deepInclude(page.truncated[0], {
          shown: 20,
          total: 61,
          hints: [Hint.call("locals", { start: 40, count: 20 })]
        })
        assert.deepStrictEqual((yield* call.locals({ names: ["v3", "w"] })).data.not_found, ["w"])
        assert.deepStrictEqual((yield* call.locals({ count: 1000 })).truncated, [])
      })
    )
  })
})
