// What the page knows of a session of a daemon that was killed.
import { assert, describe, it } from "@effect/vitest"
import * as Fold from "@sigtrap/protocol/Snapshot"
import type { EventLine } from "../../src/connection/Answers.ts"
import { Session } from "../../src/session/Session.ts"

const lost = { ...Fold.initial, state: "lost" } as const

const line = (seq: number, event: EventLine["event"]): EventLine => ({
  type: "event",
  session: "app",
  seq,
  time: 0,
  stop: 1,
  event
})

/** Takes events, which are seen together after the turn. */
const taken = async (session: Session, ...lines: ReadonlyArray<EventLine>) => {
  for (const one of lines) session.take(one)
  await Promise.resolve()
}

describe("a session of a daemon that was killed", () => {
  it("is lost with its daemon until its program is started again", async () => {
    const session = new Session("app", "a.2", lost, 15, true)
    await taken(session, line(8, { _tag: "Starting", program: "/app" }))
    assert.isTrue(session.lostWithDaemon.value)
    await taken(session, line(15, { _tag: "Starting", program: "/app" }))
    assert.strictEqual(session.snapshot.value.state, "starting")
    assert.isFalse(session.lostWithDaemon.value)
    await taken(session, line(16, { _tag: "Lost", reason: "lldb-dap was killed by SIGKILL" }))
    assert.strictEqual(session.snapshot.value.state, "lost")
    assert.isFalse(session.lostWithDaemon.value)
  })

  it("is one that a page knew before", () => {
    const session = new Session("app", "a.1", { ...Fold.initial, state: "stopped" }, 9, false)
    assert.isFalse(session.lostWithDaemon.value)
    session.continue("a.2", lost, 10)
    assert.isTrue(session.lostWithDaemon.value)
  })

  it("is not one whose debugger is gone", async () => {
    const session = new Session("app", "a.1", { ...Fold.initial, state: "stopped" }, 9, false)
    await taken(session, line(9, { _tag: "Lost", reason: "lldb-dap was killed by SIGKILL" }))
    assert.strictEqual(session.snapshot.value.state, "lost")
    assert.isFalse(session.lostWithDaemon.value)
  })
})
