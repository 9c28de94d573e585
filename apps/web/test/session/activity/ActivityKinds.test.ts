import { assert, describe, it } from "@effect/vitest"
import { passing } from "../../../src/session/activity/ActivityKinds.ts"
import type { Row } from "../../../src/session/activity/ActivityRows.ts"

const row = (seq: number, who: Row["who"], kind: Row["kind"], refused = false): Row => ({
  seq,
  time: 0,
  who,
  actor: who,
  kind,
  text: "",
  count: 1,
  ...(refused ? { refused } : {})
})

const rows = [
  row(1, "agent", "resume"),
  row(2, "debugger", "stop"),
  row(3, "agent", "read"),
  row(4, "you", "control"),
  row(5, "program", "output"),
  row(6, "agent", "change", true)
]

const shown = (...filters: Parameters<typeof passing> extends readonly [unknown, ...infer Rest] ? Rest : never) =>
  passing(rows, ...filters).map(({ seq }) => seq)

describe("the rows of Activity", () => {
  it("are those of an actor", () => {
    assert.deepStrictEqual(shown("Everyone", new Set()), [1, 2, 3, 4, 5, 6])
    assert.deepStrictEqual(shown("Agents", new Set()), [1, 3, 6])
    assert.deepStrictEqual(shown("People", new Set()), [4])
    assert.deepStrictEqual(shown("Program", new Set()), [2, 5])
  })

  it("leave kinds out, but never what was refused", () => {
    assert.deepStrictEqual(shown("Everyone", new Set(["Reads", "Output"])), [1, 2, 4, 6])
    assert.deepStrictEqual(shown("Agents", new Set(["Changes", "Runs and stops"])), [3, 6])
  })
})
