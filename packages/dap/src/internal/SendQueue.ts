/**
 * The bytes that wait until an adapter reads them, at most `limit`. An adapter that sends reverse requests and does not read
 * their answers would otherwise fill the memory.
 *
 * What is sent in one run of synchronous code is written by one call of the system, after it or when `flush` is called.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
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

/** The queue of one adapter, with one reader. */
class SendQueue {
  #chunks: Array<Uint8Array> = []
  /** Number of bytes that wait. */
  #waiting = 0
  #isEnded = false
  /** Continues the reader, which waits for bytes. */
  #wake: (() => void) | undefined
  #isScheduled = false

  /** Queues bytes. Never waits; fails with reason `full` over the limit and `closed` after the end. */
  readonly send = (bytes: Uint8Array): Effect.Effect<void, Errors.TransportError> =>
    Effect.suspend(() => {
      if (this.#isEnded) {
        return Effect.fail(new Errors.TransportError({ reason: "closed", detail: "Its input is closed." }))
      }
      if (this.#waiting > 0 && this.#waiting + bytes.length > limit) {
        const detail = `It does not read its input: ${this.#waiting} bytes wait.`
        return Effect.fail(new Errors.TransportError({ reason: "full", detail }))
      }
      this.#chunks.push(bytes)
      this.#waiting += bytes.length
      this.#schedule()
      return Effect.void
    })

  /** Writes what waits now, not after the code that runs. */
  readonly flush = (): void => {
    const wake = this.#wake
    if (wake === undefined || (this.#chunks.length === 0 && !this.#isEnded)) return
    this.#wake = undefined
    wake()
  }

  /** Ends the queue after the bytes that wait. */
  readonly end = Effect.sync(() => {
    this.#isEnded = true
    this.#schedule()
  })

  /** Ends the queue and drops the bytes that wait. */
  readonly shutdown = Effect.sync(() => {
    this.#isEnded = true
    this.#chunks = []
    this.#waiting = 0
    this.#schedule()
  })

  readonly #pull: Effect.Effect<Chunks, Cause.Done> = Effect.suspend(() => {
    const [first, ...rest] = this.#chunks
    if (first === undefined) {
      return this.#isEnded
        ? Cause.done()
        : Effect.andThen(
            this.#waited,
            Effect.suspend(() => this.#pull)
          )
    }
    this.#chunks = []
    this.#waiting = 0
    return Effect.succeed(joined([first, ...rest]))
  })

  readonly #waited = Effect.callback<void>((resume) => {
    this.#wake = () => resume(Effect.void)
    return Effect.sync(() => {
      this.#wake = undefined
    })
  })

  /** The bytes that are sent. */
  readonly bytes: Stream.Stream<Uint8Array> = Stream.fromPull(Effect.succeed(this.#pull))

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.flush()
    })
  }
}

/** Makes a queue. */
export const make: Effect.Effect<SendQueue> = Effect.sync(() => new SendQueue())
