import { Connections, ignoreDisconnect } from "../../../src/daemon/socket/Connections.ts"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Socket } from "effect/socket"
import { TestClock } from "effect/testing"

it.effect("the wait ends after thirty minutes without a client, and a client restarts the time", () =>
  Effect.gen(function* () {
    const clients = yield* Connections
    const waiting = yield* Effect.forkChild(clients.idle("30 minutes"), { startImmediately: true })
    yield* TestClock.adjust("29 minutes")
    const leave = yield* Deferred.make<void>()
    const client = yield* Effect.forkChild(clients.track(Deferred.await(leave)), { startImmediately: true })
    yield* TestClock.adjust("2 hours")
    assert.strictEqual(yield* clients.count, 1)
    assert.isUndefined(waiting.pollUnsafe())
    yield* Deferred.succeed(leave, undefined)
    yield* Fiber.join(client)
    assert.strictEqual(yield* clients.count, 0)
    yield* TestClock.adjust("29 minutes")
    assert.isUndefined(waiting.pollUnsafe())
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(waiting)
  }).pipe(Effect.provide(Connections.layer))
)

it.effect("the time of a wait begins with it, or with the end of the last of many clients", () =>
  Effect.gen(function* () {
    const clients = yield* Connections
    yield* TestClock.adjust("2 hours")
    const waiting = yield* Effect.forkChild(clients.idle("30 minutes"), { startImmediately: true })
    for (let client = 0; client < 4; client++) {
      yield* TestClock.adjust("29 minutes")
      yield* clients.track(Effect.void)
      assert.isUndefined(waiting.pollUnsafe())
    }
    yield* TestClock.adjust("29 minutes")
    assert.isUndefined(waiting.pollUnsafe())
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(waiting)
  }).pipe(Effect.provide(Connections.layer))
)

it.effect("a connection over the limit is not served", () =>
  Effect.gen(function* () {
    const clients = yield* Connections
    const fibers = yield* Effect.forEach(Array.from({ length: 256 }), () =>
      Effect.forkChild(clients.track(Effect.never), { startImmediately: true })
    )
    yield* clients.track(Effect.die("served"))
    assert.strictEqual(yield* clients.count, 256)
    yield* Fiber.interruptAll(fibers)
    assert.strictEqual(yield* clients.count, 0)
  }).pipe(Effect.provide(Connections.layer))
)

it.effect("a client that disconnects during a read is not an error, a socket that cannot be opened is", () =>
  Effect.gen(function* () {
    const cause = new Error("ECONNRESET")
    const gone = new Socket.SocketError({ reason: new Socket.SocketReadError({ cause }) })
    yield* ignoreDisconnect(Effect.fail(gone))
    yield* ignoreDisconnect(Effect.die(gone))
    const closed = new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })
    assert.strictEqual(yield* Effect.flip(ignoreDisconnect(Effect.fail(closed))), closed)
  })
)
