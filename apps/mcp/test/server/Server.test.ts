import { assert, it } from "@effect/vitest"
import { type Cause, Deferred, Effect, Fiber, Queue, Stdio, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Errors } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import * as Server from "../../src/server/Server.ts"

const options: Server.Options = {
  version: "1.2.3",
  caller: { directory: "/src/here", environment: {} },
  profile: "full",
  allow: ["admin"],
  structured: true
}

const hello = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait", arguments: {} } }
]

/** Starts a server whose standard input the test writes and ends. */
const start = Effect.fnUntraced(function* (recorder: Recorder.Recorder) {
  const input = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const encoder = new TextEncoder()
  for (const message of hello) yield* Queue.offer(input, encoder.encode(`${JSON.stringify(message)}\n`))
  const fiber = yield* Server.run(options).pipe(
    Effect.provide([recorder.layer, Stdio.layerTest({ stdin: Stream.fromQueue(input) })]),
    Effect.forkChild({ startImmediately: true })
  )
  return { input, fiber }
})

it.effect("the server ends when its input ends", () =>
  Effect.gen(function* () {
    const called = yield* Deferred.make<void>()
    const recorder = Recorder.make(() =>
      Effect.andThen(Deferred.succeed(called, undefined), Effect.fail(new Errors.NoSession({})))
    )
    const { input, fiber } = yield* start(recorder)
    yield* Deferred.await(called)
    yield* Queue.end(input)
    yield* Fiber.join(fiber)
    assert.lengthOf(recorder.calls, 1)
  })
)

it.effect("a call without a timeout is interrupted two seconds after the input ends", () =>
  Effect.gen(function* () {
    const called = yield* Deferred.make<void>()
    const interrupted = yield* Deferred.make<void>()
    const recorder = Recorder.make(() =>
      Effect.andThen(Deferred.succeed(called, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
    )
    const { input, fiber } = yield* start(recorder)
    yield* Deferred.await(called)
    yield* Queue.end(input)
    yield* TestClock.adjust("1 second")
    assert.isFalse(yield* Deferred.isDone(interrupted))
    yield* TestClock.adjust("1 second")
    yield* Deferred.await(interrupted)
    yield* Fiber.join(fiber)
  })
)
