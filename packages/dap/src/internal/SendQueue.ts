/**
 * The bytes that wait until an adapter reads them, at most `limit`. An adapter that sends reverse requests and does not read
 * their answers would otherwise fill the memory.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Errors from "../Errors.ts"

/** 16 MiB. One larger message is accepted while nothing else waits. */
const limit = 16 * 1024 * 1024

/** Size up to which messages that wait together are written by one call, in bytes. */
const written = 64 * 1024

type Chunks = readonly [Uint8Array, ...ReadonlyArray<Uint8Array>]

/** Joins small chunks: each write is a call of the system, and wakes the adapter. */
const joined = (chunks: Chunks): Chunks => {
  const size = chunks.reduce((sum, { length }) => sum + length, 0)
  if (chunks.length === 1 || size > written) return chunks
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return [whole]
}

/** Makes a queue. `send` never waits; it fails with reason `full` over the limit and `closed` after the end. */
export const make = Effect.map(Queue.unbounded<Uint8Array, Cause.Done>(), (queue) => {
  let waiting = 0
  return {
    send: (bytes: Uint8Array): Effect.Effect<void, Errors.TransportError> =>
      Effect.suspend(() => {
        if (waiting > 0 && waiting + bytes.length > limit) {
          const detail = `It does not read its input: ${waiting} bytes wait.`
          return Effect.fail(new Errors.TransportError({ reason: "full", detail }))
        }
        if (!Queue.offerUnsafe(queue, bytes)) {
          return Effect.fail(new Errors.TransportError({ reason: "closed", detail: "Its input is closed." }))
        }
        waiting += bytes.length
        return Effect.void
      }),
    bytes: Stream.fromQueue(queue).pipe(
      Stream.mapArray((chunks) => {
        for (const { length } of chunks) waiting -= length
        return joined(chunks)
      })
    ),
    end: Effect.asVoid(Queue.end(queue)),
    shutdown: Queue.shutdown(queue)
  }
})
