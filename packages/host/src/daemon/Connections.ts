/**
 * Who is connected: counts the connections of a socket server, refuses those over the limit, and says when nobody has
 * been there for a while. A connection is all that keeps a daemon from being idle beside its sessions, since every
 * operation runs on one.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Latch from "effect/Latch"
import type * as Duration from "effect/Duration"
import * as Socket from "effect/socket/Socket"
import * as SocketServer from "effect/socket/SocketServer"

/** Connections at a time; one more is closed at once. */
export const LIMIT = 256

/** The service. */
export class Connections extends Context.Service<
  Connections,
  {
    readonly count: Effect.Effect<number>
    /** Runs a connection, counted while it lasts; one too many is not run at all. */
    readonly track: <A, E, R>(connection: Effect.Effect<A, E, R>) => Effect.Effect<A | void, E, R>
    /** Completes once no client was connected for that long without a break. */
    readonly absent: (time: Duration.Input) => Effect.Effect<void>
  }
>()("@sigtrap/host/Connections") {
  static readonly layer = Layer.effect(
    Connections,
    Effect.gen(function* () {
      let count = 0
      const nobody = yield* Latch.make(true)
      const somebody = yield* Latch.make(false)
      const change = (by: number) => {
        count += by
        if (count === 0) {
          nobody.openUnsafe()
          somebody.closeUnsafe()
        } else {
          nobody.closeUnsafe()
          somebody.openUnsafe()
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
        absent: Effect.fnUntraced(function* (time) {
          while (true) {
            yield* nobody.await
            const cameBack = yield* Effect.timeoutOption(somebody.await, time)
            if (cameBack._tag === "None") return
          }
        })
      })
    })
  )
}

const isGone = (error: unknown) =>
  Socket.isSocketError(error) && /^Socket(?:Read|Write|Close)Error$/.test(error.reason._tag)

/**
 * A connection whose client may go at any moment, also while it is read or written to: that is how most of them end.
 * The RPC server reports it as a defect.
 */
export const leaving = <A, E, R>(connection: Effect.Effect<A, E, R>): Effect.Effect<A | void, E, R> =>
  Effect.catchCause(connection, (cause) =>
    cause.reasons.some(
      (reason) =>
        (Cause.isFailReason(reason) && isGone(reason.error)) || (Cause.isDieReason(reason) && isGone(reason.defect))
    )
      ? Effect.void
      : Effect.failCause(cause)
  )

/** A socket server whose connections are counted. */
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
        run: (handler) => inner.run((socket) => leaving(clients.track(handler(socket))))
      })
    })
  ).pipe(Layer.provide(server))
