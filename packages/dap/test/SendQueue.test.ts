import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import * as SendQueue from "../src/internal/SendQueue.ts"

it.effect("a queue is full when 16 MiB wait, and takes more once they are read", () =>
  Effect.gen(function* () {
    const queue = yield* SendQueue.make
    const mebibyte = new Uint8Array(1024 * 1024)
    for (let sent = 0; sent < 16; sent++) yield* queue.send(mebibyte)
    assert.strictEqual((yield* Effect.flip(queue.send(new Uint8Array(1)))).reason, "full")
    yield* Stream.runDrain(Stream.take(queue.bytes, 16))
    // One message may be larger than the limit.
    yield* queue.send(new Uint8Array(17 * 1024 * 1024))
    assert.strictEqual((yield* Effect.flip(queue.send(new Uint8Array(1)))).reason, "full")
  })
)

/** A queue, and what its reader has got, one text for each write. */
const reading = Effect.gen(function* () {
  const queue = yield* SendQueue.make
  const got: Array<string> = []
  const reader = yield* Stream.runForEach(queue.bytes, (bytes) =>
    Effect.sync(() => void got.push(new TextDecoder().decode(bytes)))
  ).pipe(Effect.forkChild({ startImmediately: true }))
  return { got, queue, reader, send: (text: string) => queue.send(new TextEncoder().encode(text)) }
})

it.effect("messages that are sent together are one write, after the code that sends them", () =>
  Effect.gen(function* () {
    const { got, send } = yield* reading
    yield* send("a")
    yield* send("b")
    assert.deepStrictEqual(got, [])
    yield* Effect.promise(async () => {})
    assert.deepStrictEqual(got, ["ab"])
    yield* send("c")
    yield* Effect.promise(async () => {})
    assert.deepStrictEqual(got, ["ab", "c"])
  })
)

it.effect("a flush writes at once what was sent, once", () =>
  Effect.gen(function* () {
    const { got, queue, send } = yield* reading
    queue.flush()
    yield* send("a")
    yield* send("b")
    queue.flush()
    assert.deepStrictEqual(got, ["ab"])
    queue.flush()
    yield* Effect.promise(async () => {})
    assert.deepStrictEqual(got, ["ab"])
  })
)

it.effect("the end comes after what was sent, and refuses more", () =>
  Effect.gen(function* () {
    const { got, queue, reader, send } = yield* reading
    yield* send("a")
    yield* queue.end
    assert.strictEqual((yield* Effect.flip(send("b"))).reason, "closed")
    yield* Fiber.join(reader)
    assert.deepStrictEqual(got, ["a"])
  })
)

it.effect("a queue that is shut down drops what waits", () =>
  Effect.gen(function* () {
    const { got, queue, reader, send } = yield* reading
    yield* send("a")
    yield* queue.shutdown
    yield* Fiber.join(reader)
    assert.deepStrictEqual(got, [])
  })
)
