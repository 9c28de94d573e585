/**
 * Counts the connections of a socket server, refuses those over the limit, and reports when none was open for a time.
 * Every operation runs on a connection, so a daemon without connections and sessions is idle.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Latch from "effect/Latch"
import type * as Duration from "effect/Duration"
import * as Socket from "effect/socket/Socket"
import * as SocketServer from "effect/socket/SocketServer"

/** The largest number of connections at a time; further ones are closed at once. */
const LIMIT = 256

/** The connections of a server. */
export class Connections extends Context.Service<
  Connections,
  {
    readonly count: Effect.Effect<number>
    /** Runs and counts a connection; does not run it if the limit is reached. */
    readonly track: <A, E, R>(connection: Effect.Effect<A, E, R>) => Effect.Effect<A | void, E, R>
    /** Completes when no client was connected during this whole time. */
    readonly idle: (time: Duration.Input) => Effect.Effect<void>
  }
>()("@sigtrap/host/Connections") {
  static readonly layer = Layer.effect(
    Connections,
    Effect.gen(function* () {
      let count = 0
      const empty = yield* Latch.make(true)
      const occupied = yield* Latch.make(false)
      const change = (by: number) => {
        count += by
        if (count === 0) {
          empty.openUnsafe()
          occupied.closeUnsafe()
        } else {
          empty.closeUnsafe()
          occupied.openUnsafe()
        }
      }
      return Connections.of({
        count: Effect.sync(() => count),
        track: (connection) =>
          Effect.suspend(() =>
            count >= LIMIT
              ? Effect.logWarning(`a connection was refused: ${LIMIT} are open`)
              : Effect.acquireUseRelease(
                  Effect.sync(() => change(1)),
                  () => connection,
                  () => Effect.sync(() => change(-1))
                )
          ),
        idle: Effect.fnUntraced(function* (time) {
          while (true) {
            yield* empty.await
            const connected = yield* Effect.timeoutOption(occupied.await, time)
            if (connected._tag === "None") return
          }
        })
      })
    })
  )
}

const isDisconnect = (error: unknown) =>
  Socket.isSocketError(error) && /^Socket(?:Read|Write|Close)Error$/.test(error.reason._tag)

/**
 * Ends a connection without failure when its client disconnects, which most clients do during a read or write. The RPC
 * server reports that as a defect.
 */
export const ignoreDisconnect = <A, E, R>(connection: Effect.Effect<A, E, R>): Effect.Effect<A | void, E, R> =>
  Effect.catchCause(connection, (cause) =>
    cause.reasons.some(
      (reason) =>
        (Cause.isFailReason(reason) && isDisconnect(reason.error)) ||
        (Cause.isDieReason(reason) && isDisconnect(reason.defect))
    )
      ? Effect.void
      : Effect.failCause(cause)
  )

/** Returns a socket server that counts its connections. */
export const counted = (
  server: Layer.Layer<SocketServer.SocketServer, SocketServer.SocketServerError>
): Layer.Layer<SocketServer.SocketServer, SocketServer.SocketServerError, Connections> =>
  Layer.effect(
    SocketServer.SocketServer,
    Effect.gen(function* () {
      const clients = yield* Connections
      const inner = yield* SocketServer.SocketServer
      return SocketServer.SocketServer.of({
        address: inner.address,
        run: (handler) => inner.run((socket) => ignoreDisconnect(clients.track(handler(socket))))
      })
    })
  ).pipe(Layer.provide(server))
