// Hits of breakpoints: how they are counted, and what a count does.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, fakeWith, over, settle } from "../support.ts"
import { list, sent } from "./breakpointLists.ts"
import { inMain } from "../stoppedSessions.ts"

describe("a breakpoint", () => {
  it.effect("with the count ==N leaves the debugger after hit N, and returns when the count changes", () =>
    inMain((_, debuggee) =>
      Effect.gen(function* () {
        const { id } = (yield* call.break("app.c:10", { hits: "==1" })).data
        assert.deepStrictEqual((yield* call.continue()).data.breakpoints, [id])
        assert.deepStrictEqual(sent(debuggee), [[id, 10]])
        yield* call.continue()
        assert.deepStrictEqual(sent(debuggee), [])
        assert.deepInclude((yield* list).find((one) => one.id === id) ?? {}, { enabled: true, hit_count: 1 })
      })
    )
  )
})

describe("hits", () => {
  it.effect("are counted for each thread that reports them, in any order", () => {
    const fake = fakeWith({})
    fake.program = {
      ...fake.program,
      threads: [{ id: 1, name: "app" }, { id: 2 }, { id: 3 }],
      moments: fake.program.moments.map((moment) => ({ ...moment, others: [2, 3] }))
    }
    return over(
      fake,
      Effect.gen(function* () {
        for (const [focus, others] of [
          ["first", "together"],
          ["first", "late"],
          ["first", "later"],
          ["last", "together"],
          ["last", "late"]
        ] as const) {
          fake.behaviour = { ...fake.behaviour, focus, others }
          const first = yield* call.start({ break: ["app.c:10"], replace: true })
          const hits = Effect.map(
            Effect.andThen(settle, call.breakpoints()),
            ({ data }) => data.breakpoints[0]?.hit_count
          )
          assert.deepStrictEqual([first.stop, yield* hits], [1, 3])
          assert.strictEqual(first.data.thread?.id, 1)
          assert.deepStrictEqual(first.data.other_threads?.map(({ id }) => id).toSorted(), [2, 3])
          const second = yield* call.continue()
          assert.deepStrictEqual([second.stop, second.data.breakpoints, yield* hits], [2, [1], 6])
        }
      })
    )
  })

  it.effect("are not counted after the end", () =>
    inMain((_, debuggee) =>
      Effect.gen(function* () {
        yield* call.break("app.c:10")
        debuggee.exit({ exit_code: 0 })
        debuggee.emit({
          _tag: "Stopped",
          reason: "breakpoint",
          raw_reason: "",
          thread: 1,
          breakpoints: [2],
          focus: true
        })
        yield* settle
        assert.deepStrictEqual(
          (yield* list).map(({ hit_count }) => hit_count),
          [1, 0]
        )
      })
    )
  )
})
