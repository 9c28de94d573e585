// Work that holds the event loop is done in one turn of the loop each, with turns for others between. Turns are counted; no
// time is measured.
import { directory } from "@sigtrap/host/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as FileReader from "../../src/files/FileReader.ts"
import * as LoopPermit from "../../src/runtime/LoopPermit.ts"

/** Counts the turns of the event loop until the scope ends. */
const turns = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const state = { count: 0, next: setImmediate(() => {}) }
      const turn = () => {
        state.count += 1
        state.next = setImmediate(turn)
      }
      turn()
      return state
    }),
    ({ next }) => Effect.sync(() => clearImmediate(next))
  ),
  (state) => () => state.count
)

/** Runs work 32 times at once, and returns the turns of the loop between each and the next. */
const between = <E>(work: Effect.Effect<unknown, E>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const count = yield* turns
      const seen = yield* Effect.forEach(
        Array.from({ length: 32 }),
        () => Effect.andThen(work, () => Effect.sync(count)),
        { concurrency: "unbounded" }
      )
      const ordered = seen.toSorted((a, b) => a - b)
      return ordered.slice(1).map((turn, index) => turn - (ordered[index] ?? 0))
    })
  )

describe("the permit to hold the loop", () => {
  it.live("is given to one caller after another, with turns of the loop between them", () =>
    Effect.gen(function* () {
      const permit = LoopPermit.make()
      const gaps = yield* between(permit.take())
      assert.lengthOf(gaps, 31)
      for (const gap of gaps) assert.isAtLeast(gap, 2)
    })
  )

  it.live("is not lost with a caller that was interrupted", () =>
    Effect.gen(function* () {
      const permit = LoopPermit.make()
      yield* permit.take()
      const waiting = yield* Effect.forkChild(permit.take(), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* permit.take()
    })
  )

  it.live("is needed for a large file, so that 32 of them are not parsed in one turn", () =>
    Effect.gen(function* () {
      const folder = yield* directory
      const file = join(folder, "file")
      writeFileSync(file, "x".repeat(500_000))
      const gaps = yield* between(FileReader.make(undefined, 2000, LoopPermit.make()).text(file, { limit: 1_000_000 }))
      for (const gap of gaps) assert.isAtLeast(gap, 2)
    })
  )
})
