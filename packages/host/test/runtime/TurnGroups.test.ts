// Requests of one connection begin in groups.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TurnGroups from "../../src/runtime/TurnGroups.ts"

describe("requests", () => {
  it.live("of one connection begin in groups, one in each turn of the loop", () =>
    Effect.gen(function* () {
      const nextTurn = TurnGroups.make(3)
      const turns: Array<number> = []
      let turn = 0
      const count = () => {
        turn += 1
        if (turns.length < 8) setImmediate(count)
      }
      setImmediate(count)
      for (let request = 0; request < 8; request++) {
        turns.push(turn)
        yield* nextTurn
      }
      const groups = [...Map.groupBy(turns, (each) => each).values()].map(({ length }) => length)
      assert.deepStrictEqual(groups, [3, 3, 2])
    })
  )
})
