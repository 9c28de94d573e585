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
const snapshot = { state: "running", stop: 0, resumes: 0 } as const
/** The line of a session with an identity. */
const told = (id: string, session = "app"): Line => ({ type: "session", session, id, snapshot, next: 1 })
const hello = (...sessions: ReadonlyArray<readonly [session: string, id: string]>): Line => ({
  type: "hello",
  version: "1",
  sessions: sessions.map(([session, id]) => ({ session, id, snapshot, next: 1 })),
  requests: []
})

describe("the lines of a stream", () => {
  it("are used once", () => {
    const known = new Known()
    assert.deepStrictEqual(
      [event(1), event(2), event(2), event(1), event(3)].map((line) => known.add(line)),
      [true, true, false, false, true]
    )
  })

  it("of a session that takes the name of another one are new", () => {
    const known = new Known()
    assert.deepStrictEqual(
      [told("a"), event(1), event(2), told("a"), event(2), told("b"), event(1)].map((line) => known.add(line)),
      [true, true, true, true, false, true, true]
    )
    assert.deepStrictEqual(known.lines(), [told("b"), event(1)])
  })

  it("of sessions that were replaced, or are gone, while the connection was lost are forgotten", () => {
    const known = new Known()
    for (const line of [hello(["app", "a"], ["web", "c"]), event(1), event(4, "web")]) known.add(line)
    known.add(hello(["app", "b"]))
    assert.deepStrictEqual([...known.cursors()], [["app", { id: "b", next: 0 }]])
    assert.isTrue(known.add(event(1)))
    assert.deepStrictEqual(known.lines(), [hello(["app", "b"]), event(1)])
  })

  it("of a session that is gone are not passed to a tab that opens later", () => {
    const known = new Known()
    for (const line of [hello(["app", "a"], ["web", "c"]), event(1), event(4, "web")]) known.add(line)
    known.add({ type: "session", session: "web" })
    assert.deepStrictEqual(known.lines(), [hello(["app", "a"]), event(1)])
  })

  it("continue after the last one, and pass to a tab that opens later", () => {
    const known = new Known()
    for (const line of [told("a"), event(1), event(2), event(7, "web")]) known.add(line)
    assert.deepStrictEqual(
      [...known.cursors()],
      [
        ["app", { id: "a", next: 3 }],
        ["web", { id: undefined, next: 8 }]
      ]
    )
    assert.strictEqual(known.lines().length, 4)
  })

  it("that are no longer kept move the number on", () => {
    const known = new Known()
    known.add({ type: "gap", session: "app", count: 3, next: 9 })
    assert.isFalse(known.add(event(8)))
    assert.isTrue(known.add(event(9)))
    // A tab that opens later says so too.
    assert.deepStrictEqual(
      known.lines().map(({ type }) => type),
      ["gap", "event"]
    )
  })

  it("are bounded", () => {
    const known = new Known()
    for (let seq = 1; seq <= 20_000; seq += 1) known.add(event(seq))
    assert.isAtMost(known.lines().length, 6000)
  })
})
