// When a debugger counts as not responding, and what ends that.
import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@sigtrap/protocol"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as UnansweredRequests from "../../src/process/UnansweredRequests.ts"

const made = Effect.gen(function* () {
  const events: Array<Event.Event> = []
  const unanswered = yield* UnansweredRequests.make((event) => void events.push(event))
  /** Sends a request that is answered by `answer`. */
  const send = (name: string) =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(unanswered.during(name, Deferred.await(answer)), {
        startImmediately: true
      })
      return { fiber, answer: Effect.andThen(Effect.sync(unanswered.heard), Deferred.succeed(answer, undefined)) }
    })
  const tags = () => events.map(({ _tag }) => _tag)
  return { events, send, tags, unanswered }
})

describe("a request that is not answered", () => {
  it.effect("is reported after five seconds, once, and the next message ends that", () =>
    Effect.gen(function* () {
      const { events, send, tags } = yield* made
      const request = yield* send("threads")
      yield* TestClock.adjust("4900 millis")
      assert.deepStrictEqual(events, [])
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(events, [{ _tag: "Unanswered", request: "threads", millis: 5000 }])
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(events.length, 1)
      yield* request.answer
      yield* Fiber.join(request.fiber)
      assert.deepStrictEqual(tags(), ["Unanswered", "Answered"])
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(events.length, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("is not reported while the debugger sends other messages", () =>
    Effect.gen(function* () {
      const { events, send, tags, unanswered } = yield* made
      yield* send("modules")
      for (let second = 0; second < 20; second++) {
        yield* TestClock.adjust("1 second")
        unanswered.heard()
      }
      assert.deepStrictEqual(events, [])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(tags(), ["Unanswered"])
    }).pipe(Effect.scoped)
  )

  it.effect("stays reported when its caller gives up, until a message comes", () =>
    Effect.gen(function* () {
      const { send, tags, unanswered } = yield* made
      const { fiber } = yield* send("stackTrace")
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(tags(), ["Unanswered"])
      unanswered.heard()
      assert.deepStrictEqual(tags(), ["Unanswered", "Answered"])
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(tags(), ["Unanswered", "Answered"])
    }).pipe(Effect.scoped)
  )

  it.effect("is one that waits longest, and an answered one is not reported", () =>
    Effect.gen(function* () {
      const { events, send } = yield* made
      const first = yield* send("threads")
      yield* TestClock.adjust("3 seconds")
      yield* send("stackTrace")
      yield* first.answer
      yield* Fiber.join(first.fiber)
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(events, [])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(events, [{ _tag: "Unanswered", request: "stackTrace", millis: 5000 }])
    }).pipe(Effect.scoped)
  )
})
