import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ThreadHits } from "../../../src/session/stops/ThreadHits.ts"

describe("a breakpoint that is named again for a thread that waited during a step", () => {
  /** Thread 2 steps while thread 3 waits at breakpoint 1. `counts` are the answers about thread 3. */
  const named = (...counts: ReadonlyArray<number | undefined>) =>
    Effect.gen(function* () {
      const answers = [...counts]
      const hits = new ThreadHits(() => Effect.sync(() => answers.shift()))
      hits.take({ thread: 2, breakpoints: [1] })
      hits.take({ thread: 3, breakpoints: [1] })
      yield* hits.resuming("next", 2)
      const isDoubtful = hits.isDoubtful
      const found = hits.take({ thread: 3, breakpoints: [1] })
      return { ...found, isDoubtful, hasRun: yield* hits.hasRun(3) }
    })

  it.effect("is a hit if the thread has run", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* named(7, 8), { hits: [], doubtful: [1], isDoubtful: true, hasRun: true })
      assert.deepStrictEqual(yield* named(7, 7), { hits: [], doubtful: [1], isDoubtful: true, hasRun: false })
    })
  )

  it.effect("is not counted where the system does not tell", () =>
    Effect.gen(function* () {
      const unknown = { hits: [], doubtful: [], isDoubtful: false, hasRun: false }
      assert.deepStrictEqual(yield* named(), unknown)
      assert.deepInclude(yield* named(7), { doubtful: [1], hasRun: false })
    })
  )

  it.effect("is a hit of a thread that the step did not stop", () =>
    Effect.gen(function* () {
      const hits = new ThreadHits(() => Effect.succeed(1))
      hits.take({ thread: 3, breakpoints: [1] })
      yield* hits.resuming("continue", 2)
      assert.deepStrictEqual([hits.isDoubtful, hits.take({ thread: 3, breakpoints: [1] }).hits], [false, [1]])
    })
  )
})
