import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as HttpSessions from "../../src/server/HttpSessions.ts"

const made = (most?: number) =>
  Effect.gen(function* () {
    const ended: Array<string> = []
    const sessions = yield* HttpSessions.make((id, version) => Effect.sync(() => ended.push(`${id} ${version}`)), most)
    const use = (id: string) => Effect.scoped(sessions.use(id, "2025-11-25"))
    const begin = (id: string) => sessions.began(id, "2025-11-25")
    return { begin, ended, sessions, use }
  })

const subscription = (uri: string, method = "resources/subscribe") => ({ id: 1, method, params: { uri } })

const decoder = new TextDecoder()

/** Opens the stream of a session; the queue has what it sent. */
const reading = (sessions: HttpSessions.HttpSessions, id: string) =>
  Effect.gen(function* () {
    const queue = yield* Queue.unbounded<string>()
    const opened = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkChild(
      Effect.scoped(
        Effect.gen(function* () {
          yield* sessions.use(id, undefined)
          const events = yield* sessions.stream(id)
          yield* Deferred.succeed(opened, undefined)
          if (events === undefined) return "refused"
          yield* Stream.runForEach(events, (bytes) => Queue.offer(queue, decoder.decode(bytes)))
          return "ended"
        })
      ),
      { startImmediately: true }
    )
    yield* Deferred.await(opened)
    const next = Effect.map(Effect.repeat(Queue.take(queue), { until: (text) => !text.startsWith(":") }), (text) =>
      [...text.matchAll(/"uri":"([^"]*)"/g)].map(([, uri]) => uri)
    )
    return { fiber, next }
  })

it.effect("a session ends after 30 minutes without a request, and a call under way keeps it", () =>
  Effect.gen(function* () {
    const { begin, ended, sessions, use } = yield* made()
    yield* Effect.forEach(["unused", "used", "closed", "busy"], begin)
    const done = yield* Deferred.make<void>()
    const call = yield* Effect.forkChild(
      Effect.scoped(Effect.andThen(sessions.use("busy", "2025-11-25"), Deferred.await(done))),
      { startImmediately: true }
    )
    yield* sessions.closed("closed")
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

it.effect("of too many sessions the one that is unused for longest ends, but none with a stream", () =>
  Effect.gen(function* () {
    const { begin, ended, sessions, use } = yield* made(3)
    for (const id of ["a", "b", "c"]) {
      yield* begin(id)
      yield* TestClock.adjust("1 second")
    }
    yield* use("b")
    const { fiber } = yield* reading(sessions, "a")
    yield* begin("d")
    yield* begin("e")
    assert.deepStrictEqual(ended, ["c 2025-11-25", "b 2025-11-25"])
    yield* TestClock.adjust("2 hours")
    assert.notInclude(ended, "a 2025-11-25")
    yield* Fiber.interrupt(fiber)
    yield* TestClock.adjust("31 minutes")
    assert.include(ended, "a 2025-11-25")
  })
)

describe("the stream of a session", () => {
  it.effect("has the resources that it subscribes to, and those that changed before it was opened once", () =>
    Effect.gen(function* () {
      const { begin, sessions } = yield* made()
      yield* begin("a")
      for (const uri of ["u:1", "u:2", "u:3"]) assert.isUndefined(sessions.subscribe("a", subscription(uri)))
      for (const uri of ["u:1", "u:2", "u:1", "u:9", "u:3"]) yield* sessions.updated(uri)
      assert.isUndefined(sessions.subscribe("a", subscription("u:3", "resources/unsubscribe")))
      const { fiber, next } = yield* reading(sessions, "a")
      assert.deepStrictEqual(yield* next, ["u:1", "u:2"])
      yield* sessions.updated("u:3")
      yield* sessions.updated("u:2")
      assert.deepStrictEqual(yield* next, ["u:2"])
      yield* sessions.closed("a")
      assert.strictEqual(yield* Fiber.join(fiber), "ended")
      assert.strictEqual(sessions.subscribe("a", subscription("u:1")), "the session has ended")
    })
  )

  it.effect("is the only one, and another may follow it", () =>
    Effect.gen(function* () {
      const { begin, sessions } = yield* made()
      yield* begin("a")
      const first = yield* reading(sessions, "a")
      assert.strictEqual(yield* Fiber.join((yield* reading(sessions, "a")).fiber), "refused")
      yield* Fiber.interrupt(first.fiber)
      yield* reading(sessions, "a")
    })
  )

  it.effect("is of its session alone, with at most 1000 resources", () =>
    Effect.gen(function* () {
      const { begin, sessions } = yield* made()
      yield* Effect.forEach(["a", "b"], begin)
      sessions.subscribe("a", subscription("u:a"))
      const problems = Array.from({ length: 1001 }, (_, at) => sessions.subscribe("b", subscription(`u:${at}`)))
      assert.deepStrictEqual(
        problems.map((problem) => problem !== undefined),
        problems.map((_, at) => at === 1000)
      )
      yield* sessions.updated("u:7")
      yield* sessions.updated("u:a")
      const { next } = yield* reading(sessions, "a")
      assert.deepStrictEqual(yield* next, ["u:a"])
    })
  )
})
