/**
 * Byte connections to a debug server: a socket, or the standard streams of a child process.
 *
 * A transport knows nothing of packets. `incoming` is read once, by one reader; `send` only queues.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Socket from "effect/socket/Socket"
import * as Errors from "./Errors.ts"

/** A connection to a debug server, as bytes. */
export interface Transport {
  /** What the server sends. It ends with the connection. */
  readonly incoming: Stream.Stream<Uint8Array, Errors.ConnectionLost>
  /** Queues bytes for the server, in order; never waits. Bytes after the end are dropped. */
  readonly send: (bytes: Uint8Array) => void
}

const failed = (error: { readonly message: string }) =>
  new Errors.ConnectionLost({ reason: "failed", detail: error.message })

const outgoing = Effect.map(Queue.unbounded<Uint8Array, Cause.Done>(), (queue) => ({
  send: (bytes: Uint8Array): void => {
    Queue.offerUnsafe(queue, bytes)
  },
  bytes: Stream.fromQueue(queue),
  shutdown: Queue.shutdown(queue)
}))

/** Returns what a socket receives; a connection that the other side closed ends it without failure. */
export const received = (socket: Socket.Socket): Stream.Stream<Uint8Array, Errors.ConnectionLost> =>
  Socket.toStream(socket).pipe(
    Stream.catchIf(
      (error) => error.reason._tag === "SocketCloseError",
      () => Stream.empty
    ),
    Stream.mapError(failed)
  )

/**
 * Uses a socket, which is opened when `incoming` is first read and closed with the scope.
 *
 * One fiber belongs to the scope: it writes the queue and ends with the socket or the scope.
 */
export const socket = Effect.fn("Transport.socket")(function* (connection: Socket.Socket) {
  const queue = yield* outgoing
  const writer = yield* connection.writer
  yield* queue.bytes.pipe(
    Stream.runForEachArray((chunks) => writer.writeAll(chunks)),
    Effect.ignore,
    Effect.ensuring(queue.shutdown),
    Effect.forkScoped
  )
  return { incoming: received(connection), send: queue.send } satisfies Transport
})

/**
 * Uses the standard streams of a child process, such as `gdbserver --multi -`.
 *
 * One fiber belongs to the scope: it writes the queue to stdin and ends with the process or the scope.
 */
export const process = Effect.fn("Transport.process")(function* (handle: ChildProcessSpawner.ChildProcessHandle) {
  const queue = yield* outgoing
  yield* queue.bytes.pipe(Stream.run(handle.stdin), Effect.ignore, Effect.ensuring(queue.shutdown), Effect.forkScoped)
  return { incoming: handle.stdout.pipe(Stream.mapError(failed)), send: queue.send } satisfies Transport
})
