import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as IdleSessions from "../../src/server/IdleSessions.ts"

it.effect("a session ends after 30 minutes without a request, and a call under way keeps it", () =>
  Effect.gen(function* () {
    const ended: Array<string> = []
    const sessions = yield* IdleSessions.make((id, version) => Effect.sync(() => ended.push(`${id} ${version}`)))
    const use = (id: string) => sessions.during(id, "2025-11-25", Effect.void)
    yield* Effect.forEach(["unused", "used", "closed"], use)
    const done = yield* Deferred.make<void>()
    const call = yield* Effect.forkChild(sessions.during("busy", "2025-11-25", Deferred.await(done)), {
      startImmediately: true
    })
    sessions.closed("closed")
    yield* TestClock.adjust("29 minutes")
    yield* use("used")
    assert.deepStrictEqual(ended, [])
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(ended, ["unused 2025-11-25"])
    yield* TestClock.adjust("2 hours")
    assert.deepStrictEqual(ended.slice(1), ["used 2025-11-25"])
    yield* Deferred.succeed(done, undefined)
    yield* Fiber.join(call)
    yield* TestClock.adjust("29 minutes")
    assert.lengthOf(ended, 2)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(ended.slice(2), ["busy 2025-11-25"])
  })
)
