// The console shows what other clients read and evaluated, between the lines of this page.
import { assert, describe, it } from "@effect/vitest"
import type { EventLine } from "../../../src/connection/Answers.ts"
import { entriesOfOthers, inOrder } from "../../../src/session/activity/ConsoleEntries.ts"

const agent = { id: "mcp:claude", kind: "mcp", role: "agent", name: "claude" } as const
const you = { id: "page:1", kind: "http", role: "person", name: "127.0.0.1" } as const

const acted = (seq: number, expression: string, value: string, actor: typeof agent | typeof you): EventLine => ({
  type: "event",
  session: "app",
  seq,
  time: 0,
  stop: 1,
  actor,
  event: {
    _tag: "Acted",
    tier: "observe",
    operation: "read",
    command: `print ${expression}`,
    ok: true,
    expressions: [expression],
    values: [{ expression, value, type: "int" }]
  }
})

describe("the console", () => {
  const others = entriesOfOthers(
    [acted(3, "a", "1", agent), acted(4, "b", "2", you), acted(7, "c", "3", agent)],
    you.id
  )

  it("has the values of others, and not those that this page read", () => {
    assert.deepStrictEqual(
      others.map(({ text, value, who }) => `${who} ${text} ${value.value} ${value.type ?? ""}`),
      ["agent a 1 int", "agent c 3 int"]
    )
  })

  it("has them between the lines of this page, and the newest only", () => {
    const own = [{ seq: 3, text: "own" }]
    const texts = (most: number) => inOrder(own, others, most).map(({ text }) => text)
    assert.deepStrictEqual(texts(500), ["a", "own", "c"])
    assert.deepStrictEqual(texts(2), ["own", "c"])
  })
})
