/**
 * Guards one connection against a client that makes no progress: one that sent half a message, and one that does not read.
 * Both are disconnected. Writes take turns, so that at most one waits for the client. A write that has begun is finished in a
 * fiber of its own: half a message of a request that was interrupted would break the connection for all others.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Semaphore from "effect/Semaphore"
import * as Socket from "effect/socket/Socket"

/** Bytes of one write. Progress is measured between writes. */
const PIECE = 65_536

const NEWLINE = 10

const endsLine = (piece: Uint8Array | string | undefined): boolean =>
  piece === undefined || (typeof piece === "string" ? piece.endsWith("\n") : piece.at(-1) === NEWLINE)

const closed = () => new Socket.SocketError({ reason: new Socket.SocketCloseError({ code: 1000 }) })

/** Fails as if the client had disconnected. */
const disconnected = (why: string, millis: number) =>
  Effect.andThen(Effect.logWarning(`a connection was closed: ${why} for ${millis / 1000} s`), Effect.fail(closed()))

const guardReader = (reader: Socket.Reader, millis: number): Socket.Reader => {
  let isPartial = false
  const pull = Effect.map(
    Effect.suspend(() =>
      isPartial
        ? Effect.timeoutOrElse(reader.pull, {
            duration: millis,
            orElse: () => disconnected("the rest of a message did not arrive", millis)
          })
        : reader.pull
    ),
    (pieces) => {
      isPartial = !endsLine(pieces.at(-1))
      return pieces
    }
  )
  return { pull, upgrade: reader.upgrade }
}

const piecesOf = (chunk: Uint8Array | string): ReadonlyArray<Uint8Array | string> => {
  if (chunk.length <= PIECE) return [chunk]
  const bytes = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk
  const count = Math.ceil(bytes.length / PIECE)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * PIECE, (index + 1) * PIECE))
}

const guardWriter = (writer: Socket.Writer, millis: number): Socket.Writer => {
  const turn = Semaphore.makeUnsafe(1)
  const one = (piece: Uint8Array | string) =>
    Effect.timeoutOrElse(writer.write(piece), {
      duration: millis,
      orElse: () =>
        Effect.andThen(writer.write(new Socket.CloseEvent(1000)), disconnected("the client did not read", millis))
    })
  const all = (chunks: ReadonlyArray<Uint8Array | string>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.andThen(
        restore(turn.take(1)),
        Effect.andThen(
          // A large text was just made. Encoding and sending it takes another turn of the event loop.
          chunks.some(({ length }) => length > PIECE) ? Effect.yieldNow : Effect.void,
          Effect.suspend(() => Effect.forEach(chunks.flatMap(piecesOf), one, { discard: true }))
        ).pipe(
          Effect.ensuring(turn.release(1)),
          restore,
          Effect.forkDetach({ startImmediately: true }),
          Effect.flatMap((writing) => restore(Fiber.join(writing)))
        )
      )
    )
  return {
    write: (chunk) => (Socket.isCloseEvent(chunk) ? writer.write(chunk) : all([chunk])),
    writeAll: all
  }
}

/** Returns a socket that is disconnected after `millis` without progress. */
export const make = (socket: Socket.Socket, millis: number): Socket.Socket =>
  Socket.make({
    reader: Effect.map(socket.reader, (reader) => guardReader(reader, millis)),
    writer: Effect.map(socket.writer, (writer) => guardWriter(writer, millis))
  })
