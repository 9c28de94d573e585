import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
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
