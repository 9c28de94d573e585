import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { McpTest } from "effect/ai"
import { TestClock } from "effect/testing"
import { Errors } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import * as Server from "../../src/server/Server.ts"
import * as ToolCalls from "../../src/calls/ToolCalls.ts"

const options: ToolCalls.Options = {
  caller: { directory: "/src/here", environment: {} },
  profile: "default",
  allow: [],
  structured: true,
  notifies: true
}

/** A program that runs until the gate is opened. */
const running = Effect.gen(function* () {
  const called = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  const recorder = Recorder.make((operation) =>
    operation._tag === "continue" || operation._tag === "run"
      ? Effect.andThen(
          Deferred.succeed(called, undefined),
          Effect.andThen(
            Deferred.await(gate),
            Effect.fail(new Errors.WaitTimeout({ waited_ms: 12_000, output_bytes: 0 }))
          )
        )
      : Effect.succeed({ ...Recorder.answer({ state: "running" }), session: "a", state: "running" })
  )
  const client = yield* McpTest.makeClient(ToolCalls.layer(options), { protocols: Server.protocols }).pipe(
    Effect.provide(recorder.layer)
  )
  return { called, client, gate }
})

const resume = { name: "continue", arguments: { timeout: "20s" } }

describe("a call that waits", () => {
  it.effect("sends progress every five seconds to a client with a progress token", () =>
    Effect.gen(function* () {
      const { called, client, gate } = yield* running
      const call = yield* Effect.forkChild(client.callTool({ ...resume, _meta: { progressToken: 7 } }))
      yield* Deferred.await(called)
      yield* TestClock.adjust("5 seconds")
      const first = yield* Queue.take(client.notifications)
      assert.strictEqual(first.method, "notifications/progress")
      assert.deepInclude(first.payload, { progressToken: 7, progress: 5, total: 20 })
      yield* TestClock.adjust("5 seconds")
      assert.deepInclude((yield* Queue.take(client.notifications)).payload, { progress: 10 })
      yield* Deferred.succeed(gate, undefined)
      const result = yield* Fiber.join(call)
      assert.notStrictEqual(result.isError, true)
      assert.include(JSON.stringify(result.structuredContent), "WAIT_TIMEOUT")
    })
  )

  it.effect("sends no progress without a progress token", () =>
    Effect.gen(function* () {
      const { called, client, gate } = yield* running
      const call = yield* Effect.forkChild(client.callTool(resume))
      yield* Deferred.await(called)
      yield* TestClock.adjust("1 minute")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(call)
      assert.strictEqual(yield* Queue.size(client.notifications), 0)
    })
  )

  it.effect("does not delay another call", () =>
    Effect.gen(function* () {
      const { called, client, gate } = yield* running
      const call = yield* Effect.forkChild(client.callTool(resume))
      yield* Deferred.await(called)
      const status = yield* client.callTool({ name: "status", arguments: {} })
      assert.notStrictEqual(status.isError, true)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(call)
    })
  )

  it.effect("that was cancelled is reported once, in the next answer", () =>
    Effect.gen(function* () {
      const { called, client } = yield* running
      const call = yield* Effect.forkChild(client.callTool(resume))
      yield* Deferred.await(called)
      yield* Fiber.interrupt(call)
      // The next request comes after the cancellation on the same wire.
      const first = yield* client.callTool({ name: "status", arguments: {} })
      assert.include(JSON.stringify(first), "continue was cancelled while waiting")
      const second = yield* client.callTool({ name: "status", arguments: {} })
      assert.notInclude(JSON.stringify(second), "cancelled")
    })
  )

  it.effect("that ran a program of its own and was cancelled is said to have ended it", () =>
    Effect.gen(function* () {
      const { called, client } = yield* running
      const call = yield* Effect.forkChild(client.callTool({ name: "run", arguments: { program: "./app" } }))
      yield* Deferred.await(called)
      yield* Fiber.interrupt(call)
      const answer = JSON.stringify(yield* client.callTool({ name: "status", arguments: {} }))
      assert.include(answer, "run was cancelled while waiting; what it ran was ended")
      assert.notInclude(answer, "kept running")
    })
  )
})
