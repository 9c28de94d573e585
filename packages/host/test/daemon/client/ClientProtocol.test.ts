import * as ClientProtocol from "../../../src/daemon/client/ClientProtocol.ts"
import * as DaemonProtocol from "../../../src/daemon/Protocol.ts"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer, Queue, Schema } from "effect"
import { RpcClient } from "effect/rpc"
import { Socket } from "effect/socket"
import { TestClock } from "effect/testing"

const status = {
  pid: 1,
  version: "0.0.0",
  protocol: "1",
  socket: "/run/daemon.sock",
  started_at: 0,
  sessions: 0,
  clients: 1,
  memory_bytes: 0,
  log: "/run/daemon.log"
}

const Request = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ id: Schema.Unknown })))

/** A client that waits for an answer of a daemon which sends only what the test sends. `timeOf` is the client's clock. */
const waiting = Effect.fnUntraced(function* (timeOf: (clock: Clock.Clock) => Clock.Clock = (clock) => clock) {
  const received = yield* Queue.unbounded<string>()
  const sent = yield* Queue.unbounded<string>()
  const state = { isClosed: false }
  const write = (piece: Uint8Array | string | Socket.CloseEvent) =>
    typeof piece === "string" ? Effect.asVoid(Queue.offer(sent, piece)) : Effect.void
  const socket = Socket.make({
    reader: Effect.succeed({
      pull: Effect.map(Queue.take(received), (piece) => [piece] as const),
      upgrade: () => Effect.void
    }),
    writer: Effect.succeed({ write, writeAll: (pieces) => Effect.forEach(pieces, write, { discard: true }) })
  })
  const protocol = ClientProtocol.layer(Layer.succeed(Socket.Socket, socket), () => {
    state.isClosed = true
  })
  const clock = timeOf(yield* Clock.Clock)
  const context = yield* Layer.build(protocol).pipe(Effect.provideService(Clock.Clock, clock))
  const remote = yield* RpcClient.make(DaemonProtocol.group, { disableTracing: true }).pipe(
    Effect.provideContext(context)
  )
  const call = yield* Effect.forkChild(remote["daemon.stop"](), { startImmediately: true })
  const { id } = yield* Effect.orDie(Request(yield* Queue.take(sent)))
  const answer = { _tag: "Exit", requestId: id, exit: { _tag: "Success", value: status } }
  return { state, call, answer: Queue.offer(received, `${JSON.stringify(answer)}\n`) }
})

it.effect("a call survives a daemon that is paused for a minute", () =>
  Effect.gen(function* () {
    const { answer, call, state } = yield* waiting()
    yield* TestClock.adjust("60 seconds")
    assert.isUndefined(call.pollUnsafe())
    yield* answer
    assert.strictEqual((yield* Fiber.join(call)).pid, 1)
    assert.isFalse(state.isClosed)
  })
)

it.effect("a connection without any message for longer is given up, and its calls fail", () =>
  Effect.gen(function* () {
    const { call, state } = yield* waiting()
    yield* TestClock.adjust("70 seconds")
    assert.strictEqual(Exit.isFailure(yield* Fiber.await(call)), true)
    assert.isTrue(state.isClosed)
  })
)

it.effect("a call that cannot be written fails as on a broken connection", () =>
  Effect.gen(function* () {
    const failed = new Socket.SocketError({ reason: new Socket.SocketWriteError({ cause: new Error("EPIPE") }) })
    const socket = Socket.make({
      reader: Effect.succeed({ pull: Effect.never, upgrade: () => Effect.void }),
      writer: Effect.succeed({ write: () => Effect.fail(failed), writeAll: () => Effect.fail(failed) })
    })
    const context = yield* Layer.build(ClientProtocol.layer(Layer.succeed(Socket.Socket, socket), () => {}))
    const remote = yield* RpcClient.make(DaemonProtocol.group, { disableTracing: true }).pipe(
      Effect.provideContext(context)
    )
    const error = yield* Effect.flip(remote["daemon.stop"]())
    assert.strictEqual(error._tag === "RpcClientError" ? error.reason._tag : error._tag, "SocketWriteError")
  })
)

it.effect("a step of the wall clock neither ends a connection nor keeps a silent one", () =>
  Effect.gen(function* () {
    for (const step of [86_400_000, -86_400_000]) {
      let offset = 0
      const { call, state } = yield* waiting((clock) => ({
        ...clock,
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + offset
      }))
      yield* TestClock.adjust("6 seconds")
      offset = step
      yield* TestClock.adjust("54 seconds")
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.await(call)
      assert.isTrue(state.isClosed)
    }
  })
)

it.effect("a pause of the client itself does not end its connection", () =>
  Effect.gen(function* () {
    let paused = 0n
    const { answer, call, state } = yield* waiting((clock) => ({
      ...clock,
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe() + paused
    }))
    yield* TestClock.adjust("6 seconds")
    paused = 3_600_000_000_000n
    yield* TestClock.adjust("6 seconds")
    assert.isFalse(state.isClosed)
    yield* answer
    yield* Fiber.join(call)
  })
)
