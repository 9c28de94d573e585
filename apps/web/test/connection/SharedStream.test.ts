import { assert, describe, it } from "@effect/vitest"
import type { Line } from "../../src/connection/Answers.ts"
import { Known } from "../../src/connection/SharedStream.ts"

const event = (seq: number, session = "app"): Line => ({
  type: "event",
  session,
  seq,
  time: 0,
  stop: 0,
  event: { _tag: "Continued" }
})
const begins: Line = {
  type: "event",
  session: "app",
  seq: 1,
  time: 0,
  stop: 0,
  event: { _tag: "Starting", program: "app" }
}

describe("the lines of a stream", () => {
  it("are used once", () => {
    const known = new Known()
    assert.deepStrictEqual(
      [begins, event(2), event(2), begins, event(3)].map((line) => known.add(line)),
      [true, true, false, true, true]
    )
  })

  it("continue after the last one, and pass to a tab that opens later", () => {
    const known = new Known()
    for (const line of [begins, event(2), event(7, "web")]) known.add(line)
    assert.deepStrictEqual(
      [...known.cursors()],
      [
        ["app", 3],
        ["web", 8]
      ]
    )
    assert.strictEqual(known.lines().length, 3)
  })

  it("that are no longer kept move the number on", () => {
    const known = new Known()
    known.add({ type: "gap", session: "app", count: 3, next: 9 })
    assert.isFalse(known.add(event(8)))
    assert.isTrue(known.add(event(9)))
  })

  it("are bounded", () => {
    const known = new Known()
    for (let seq = 1; seq <= 20_000; seq += 1) known.add(event(seq))
    assert.isAtMost(known.lines().length, 6000)
  })
})
