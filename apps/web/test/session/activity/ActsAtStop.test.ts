import { assert, describe, it } from "@effect/vitest"
import type { Actor, EventLine } from "../../../src/connection/Answers.ts"
import { expressionsRead, framesRead, mayWrite, readsOf } from "../../../src/session/activity/ActsAtStop.ts"

const agent: Actor = { id: "mcp:claude", kind: "mcp", role: "agent", name: "claude" }
const person: Actor = { id: "page:g1", kind: "page", role: "person", name: "g1" }

const read = (seq: number, stop: number, command: string, actor: Actor): EventLine => ({
  type: "event",
  session: "app",
  seq,
  time: 0,
  stop,
  event: { _tag: "Acted", tier: "observe", operation: "read", command, ok: true },
  actor
})

describe("what agents read", () => {
  it("is that of the stop, and of agents only", () => {
    const events = [read(1, 1, "print a", agent), read(2, 2, "print b", agent), read(3, 2, "print c", person)]
    assert.deepStrictEqual(
      readsOf(events, 2).map(({ command }) => command),
      ["print b"]
    )
  })

  it("names frames by their index in the stopped thread, or by their reference", () => {
    const reads = readsOf(
      [
        read(1, 1, "locals --frame 1", agent),
        read(2, 1, "frame 2; print n --frame @f7; up; locals", agent),
        read(3, 1, "print '--frame' --frame 1 --thread 3", agent),
        read(4, 1, "print frames", agent)
      ],
      1
    )
    assert.deepStrictEqual(framesRead(reads), ["1", "2", "@f7"])
  })

  it("has the frame of each expression, where it is known", () => {
    const readOf = (command: string, ...expressions: ReadonlyArray<string>): EventLine => ({
      ...read(1, 1, command, agent),
      event: { _tag: "Acted", tier: "observe", operation: "read", command, ok: true, expressions }
    })
    const of = (...events: ReadonlyArray<EventLine>) => expressionsRead(readsOf(events, 1))
    assert.deepStrictEqual(of(readOf("print a", "a"), readOf("print a --frame 1", "a")), [
      ["stop", "a"],
      ["1", "a"]
    ])
    assert.deepStrictEqual(of(readOf("print b --frame @f7", "b"), readOf("print c; print d", "c", "d")), [
      ["@f7", "b"],
      ["stop", "c"],
      ["stop", "d"]
    ])
    assert.deepStrictEqual(of(readOf("print a; print b --frame 1", "a", "b")), [])
    assert.deepStrictEqual(of(readOf("print a --thread 3", "a")), [])
    assert.deepStrictEqual(of(readOf("frame 1"), readOf("print a", "a"), readOf("print b --frame 0", "b")), [
      ["0", "b"]
    ])
  })
})

describe("what clients did at a stop", () => {
  it("may have changed values if it ran code, wrote or was a command of the debugger, and succeeded", () => {
    const acted = (
      tier: "observe" | "control" | "evaluate" | "write" | "admin",
      ok = true,
      operation = "set"
    ): EventLine => ({
      ...read(1, 2, "set a 1", person),
      event: { _tag: "Acted", tier, operation, command: "set a 1", ok }
    })
    for (const tier of ["evaluate", "write", "admin"] as const) assert.isTrue(mayWrite(acted(tier), 2), tier)
    assert.isFalse(mayWrite(acted("control"), 2))
    assert.isFalse(mayWrite(acted("write", false), 2))
    assert.isFalse(mayWrite(acted("write"), 3))
    // A start whose answer comes after the first stop, and a condition.
    assert.isFalse(mayWrite(acted("admin", true, "start"), 2))
    assert.isFalse(mayWrite(acted("evaluate", true, "breakpoint.edit"), 2))
  })
})
