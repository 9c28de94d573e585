import * as SocketGuard from "../../../src/daemon/socket/SocketGuard.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { Socket } from "effect/socket"
import { TestClock } from "effect/testing"

type Piece = Uint8Array | string

/** A connection whose client sends what is in `received`, and reads what it is asked for. */
const connectionOf = Effect.fnUntraced(function* (isSlow: boolean) {
  const received = yield* Queue.unbounded<Piece>()
  const written: Array<Piece | Socket.CloseEvent> = []
  let reads = true
  const write = (piece: Piece | Socket.CloseEvent) =>
    Effect.suspend(() => {
      written.push(piece)
      if (isSlow) return Effect.sleep("1 second")
      return reads || Socket.isCloseEvent(piece) ? Effect.void : Effect.never
    })
  const socket = Socket.make({
    reader: Effect.succeed({
      pull: Effect.map(Queue.take(received), (piece) => [piece] as const),
      upgrade: () => Effect.void
    }),
    writer: Effect.succeed({ write, writeAll: (pieces) => Effect.forEach(pieces, write, { discard: true }) })
  })
  return { received, written, guarded: SocketGuard.make(socket, 30_000), stopReading: () => (reads = false) }
})

const connection = connectionOf(false)

it.effect("a client that sent half a message is disconnected after 30 seconds, another is not", () =>
  Effect.gen(function* () {
    for (const [piece, ends] of [
      ["{", true],
      [new Uint8Array([123]), true],
      ["{}\n", false],
      [new Uint8Array([10]), false]
    ] as const) {
      const { guarded, received } = yield* connection
      const { pull } = yield* guarded.reader
      yield* Queue.offer(received, piece)
      yield* pull
      const next = yield* Effect.forkChild(Effect.exit(pull), { startImmediately: true })
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(next.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(next.pollUnsafe() !== undefined, ends)
      yield* Fiber.interrupt(next)
    }
  })
)

it.effect("a client that does not read is disconnected after 30 seconds, and other writes wait their turn", () =>
  Effect.gen(function* () {
    const { guarded, stopReading, written } = yield* connection
    const writer = yield* guarded.writer
    yield* writer.write("é".repeat(70_000))
    assert.lengthOf(written, 3)
    const text = new TextDecoder()
    const sent = written
      .map((piece) => (piece instanceof Uint8Array ? text.decode(piece, { stream: true }) : ""))
      .join("")
    assert.strictEqual(sent, "é".repeat(70_000))
    stopReading()
    const first = yield* Effect.forkChild(Effect.exit(writer.write("a")), { startImmediately: true })
    const second = yield* Effect.forkChild(Effect.exit(writer.write("b")), { startImmediately: true })
    yield* TestClock.adjust("29 seconds")
    assert.deepStrictEqual(written.slice(3), ["a"])
    assert.isUndefined(first.pollUnsafe())
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.join(first))._tag, "Failure")
    assert.isTrue(written.some((piece) => Socket.isCloseEvent(piece)))
    yield* Fiber.interrupt(second)
  })
)

it.effect("a message that has begun is written to its end, although its request was interrupted", () =>
  Effect.gen(function* () {
    const { guarded, written } = yield* connectionOf(true)
    const writer = yield* guarded.writer
    const first = yield* Effect.forkChild(writer.write("a".repeat(200_000)), { startImmediately: true })
    const second = yield* Effect.forkChild(writer.write("b"), { startImmediately: true })
    const waiting = yield* Effect.forkChild(writer.write("c"), { startImmediately: true })
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(first)
    yield* Fiber.interrupt(waiting)
    yield* TestClock.adjust("10 seconds")
    yield* Fiber.join(second)
    const text = written.map((piece) => (piece instanceof Uint8Array ? new TextDecoder().decode(piece) : piece))
    assert.strictEqual(text.join(""), `${"a".repeat(200_000)}b`)
  })
)
