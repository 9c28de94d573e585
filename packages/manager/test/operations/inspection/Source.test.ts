// Listings of source files: whole, by ranges, and one after the other.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SimulatedProgram } from "../../../src/testing/index.ts"
import { call, code } from "../../support.ts"
import { inMain, inSquare } from "../../stoppedSessions.ts"

describe("source", () => {
  it.effect("shows whole files with their breakpoints and a hash, and says what it leaves out", () =>
    inSquare(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:11", { disabled: true })
        const { data, truncated } = yield* call.source(undefined, { whole: true })
        assert.deepStrictEqual(truncated, [])
        assert.strictEqual(data.lines.join("\n"), SimulatedProgram.sampleText)
        assert.deepInclude(data, { first: 1, total: 15, current: 2 })
        assert.match(data.hash ?? "", /^[0-9a-f]{64}$/)
        assert.deepStrictEqual(
          data.breakpoints.map(({ id, line, state }) => [id, line, state]),
          [
            [1, 2, "on"],
            [2, 11, "off"]
          ]
        )
        const long = yield* call.source("long.c", { whole: true })
        assert.deepStrictEqual([long.data.lines.length, long.data.total, long.truncated], [2500, 2500, []])
        assert.notStrictEqual(long.data.hash, data.hash)
        const cut = yield* call.source("long.c", { range: "101-9999" })
        assert.deepStrictEqual([cut.data.first, cut.data.lines.length, cut.data.total], [101, 1000, 2500])
        assert.isUndefined(cut.data.hash)
        const [left] = cut.truncated
        assert.deepInclude(left, { path: "data.lines", shown: 1000, total: 2400 })
        assert.deepInclude(left?.hints?.[0], { operation: "source" })
        assert.include(JSON.stringify(left?.hints), '"at":"/src/long.c:1101","range":"1101-2500"')
        const rest = yield* call.source("/src/long.c:1101", { range: "1501-2500" })
        assert.deepStrictEqual([rest.data.lines.length, rest.truncated], [1000, []])
        assert.strictEqual(yield* code(call.source("long.c", { whole: true, range: "1-2" })), "USAGE")
      })
    )
  )

  it.effect("continues the previous listing until the location changes", () =>
    inMain(() =>
      Effect.gen(function* () {
        const first = (yield* call.source(undefined, { lines: 1 })).data
        assert.deepStrictEqual([first.first, first.lines.length], [6, 3])
        const next = (yield* call.source(undefined, { lines: 1 })).data
        assert.deepStrictEqual([next.first, next.lines.length], [9, 3])
        yield* call.next()
        assert.strictEqual((yield* call.source(undefined, { lines: 1 })).data.first, 9)
      })
    )
  )
})
