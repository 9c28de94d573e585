// Sessions of a daemon: selection, names, descriptions, and how long they are kept.
import { assert, describe, it } from "@effect/vitest"
import type { Operations } from "@sigtrap/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { FakeBackend } from "../../../src/testing/index.ts"
import { ask, call, code, ledger, over, settle } from "../../support.ts"

const plain = FakeBackend.make

/** Returns the name of the session that a directory selects. */
const meant = (directory: string) => Effect.map(ask("status", { directory }), ({ session }) => session)

const two = Effect.gen(function* () {
  yield* call.start({ session: "a", directory: "/src", break: ["main"] })
  yield* call.start({ session: "b", directory: "/src", break: ["main"] })
})

describe("the selected session", () => {
  it.effect("is the newest one of the directory, or the one chosen there", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* two
        assert.strictEqual(yield* meant("/src"), "b")
        assert.strictEqual(yield* code(ask("status", { directory: "/elsewhere" })), "AMBIGUOUS_SESSION")
        const chosen = yield* ask("session.use", { name: "a", directory: "/src" })
        assert.deepInclude(chosen.data, { name: "a", current: true })
        assert.strictEqual(yield* meant("/src"), "a")
        yield* ask("session.use", { name: "b", directory: "/elsewhere" })
        assert.strictEqual(yield* meant("/elsewhere"), "b")
        assert.strictEqual(yield* meant("/src"), "a")
        assert.strictEqual(yield* code(ask("session.use", { name: "c", directory: "/src" })), "SESSION_NOT_FOUND")
      })
    )
  )

  it.effect("is marked in the list for the caller's directory", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* two
        const marked = (directory: string) =>
          Effect.map(ask("sessions", { directory }), ({ data }) =>
            data.sessions.filter(({ current }) => current).map(({ name }) => name)
          )
        assert.deepStrictEqual(yield* marked("/src"), ["b"])
        assert.deepStrictEqual(yield* marked("/elsewhere"), [])
      })
    )
  )

  it.effect("is another live session after the selected one is ended", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* two
        yield* ask("stop", { names: ["b"] })
        assert.strictEqual(yield* meant("/src"), "a")
      })
    )
  )
})

describe("session rename", () => {
  it.effect("keeps the session, its directory and its record under the new name", () => {
    const kept = ledger()
    return over(
      plain(),
      Effect.gen(function* () {
        yield* two
        yield* settle
        const renamed = yield* ask("session.rename", { name: "b", new_name: "c", directory: "/src" })
        assert.deepInclude(renamed.data, { name: "c", state: "stopped", current: true })
        assert.deepStrictEqual([...kept.entries.keys()], ["a", "c"])
        assert.strictEqual(yield* meant("/src"), "c")
        assert.strictEqual(yield* code(ask("status", { session: "b" })), "SESSION_NOT_FOUND")
        assert.strictEqual((yield* call.next({ session: "c" })).session, "c")
      }),
      kept.layer
    )
  })

  it.effect("refuses the name of a live session and reuses that of an ended one", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* two
        assert.strictEqual(yield* code(ask("session.rename", { name: "a", new_name: "b" })), "SESSION_EXISTS")
        yield* call.start({ session: "over" })
        yield* ask("session.rename", { name: "a", new_name: "over" })
        const { sessions } = (yield* call.sessions()).data
        assert.deepStrictEqual(sessions.map(({ name, state }) => `${name} ${state}`).toSorted(), [
          "b stopped",
          "over stopped"
        ])
      })
    )
  )
})

describe("session info", () => {
  it.effect("reports how a session was started", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"], label: "a try", ttl: "2h", stdout: "out.txt", args: ["x"] })
        const { data } = yield* ask("session.info", {})
        assert.deepInclude(data, {
          session: "default",
          state: "stopped",
          kind: "launched",
          cwd: "/src",
          label: "a try",
          ttl_s: 7200,
          stdout: "/src/out.txt",
          args: ["x"],
          breakpoints: 1
        })
        assert.deepInclude((yield* call.sessions()).data.sessions[0], { label: "a try" })
      })
    )
  )
})

describe("an unused session", () => {
  it.effect("is ended after its ttl, or never", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* call.start({ session: "short", break: ["main"], ttl: "1m" })
        yield* call.start({ session: "long", break: ["main"], ttl: "inf" })
        yield* settle
        yield* TestClock.adjust("61 seconds")
        yield* settle
        assert.deepStrictEqual(
          (yield* call.sessions()).data.sessions.map(({ name }) => name),
          ["long"]
        )
        yield* TestClock.adjust("10 days")
        yield* settle
        assert.strictEqual((yield* call.sessions()).data.sessions.length, 1)
      })
    )
  )
})

describe("session prune", () => {
  it.effect("removes ended sessions, and those unused for long enough", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* call.start({ session: "over" })
        yield* call.start({ session: "old", break: ["main"], ttl: "inf" })
        yield* TestClock.adjust("1 hour")
        yield* call.start({ session: "new", break: ["main"], ttl: "inf" })
        const names = ({ data }: Operations.Answer<"session.prune">) => data.sessions.map(({ name }) => name)
        assert.deepStrictEqual(names(yield* ask("session.prune", { older: "2h" })), ["over"])
        assert.deepStrictEqual(names(yield* ask("session.prune", { older: "30m" })), ["old"])
        assert.deepStrictEqual(names(yield* ask("session.prune", {})), [])
        assert.strictEqual((yield* call.sessions()).data.sessions.length, 1)
      })
    )
  )
})
