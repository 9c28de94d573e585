/**
 * Counts the connections of a socket server, refuses those over the limit, and reports when none was open for a time.
 * Every operation runs on a connection, so a daemon without connections and sessions is idle.
 */
import { Errors, MonotonicTime } from "@sigtrap/protocol"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Latch from "effect/Latch"
import * as Duration from "effect/Duration"
import * as Socket from "effect/socket/Socket"
import * as SocketServer from "effect/socket/SocketServer"
import * as Schema from "effect/Schema"
import * as Limits from "./Limits.ts"
import * as Messages from "./Messages.ts"
import * as SocketGuard from "./SocketGuard.ts"

/** Refused connections at a time that get a reason; further ones are closed without. */
const REFUSED = 64

/** Time for a refused client to send its request, and to read the reason, in milliseconds. */
const REFUSAL = 2000

/** Milliseconds after which a refused client may connect again. */
const RETRY = 1000

/** The connections of a server. */
export class Connections extends Context.Service<
  Connections,
  {
    readonly count: Effect.Effect<number>
    /** Runs and counts a connection; runs `refused` instead if the limit is reached. */
    readonly track: <A, E, R>(
      connection: Effect.Effect<A, E, R>,
      refused?: Effect.Effect<void, E, R>
    ) => Effect.Effect<A | void, E, R>
    /** Completes when no client was connected during this whole time. */
    readonly idle: (time: Duration.Input) => Effect.Effect<void>
  }
>()("@sigtrap/host/Connections") {
  static readonly layer = Layer.effect(
    Connections,
    Effect.gen(function* () {
      const { connections } = yield* Limits.Limits
      let count = 0
      let refusals = 0
      /** When the last client disconnected. */
      let emptied = yield* MonotonicTime.now
      const empty = yield* Latch.make(true)
      const connected = Effect.sync(() => {
        count += 1
        empty.closeUnsafe()
      })
      const disconnected = Effect.map(MonotonicTime.now, (now) => {
        count -= 1
        if (count > 0) return
        emptied = now
        empty.openUnsafe()
      })
      return Connections.of({
        count: Effect.sync(() => count),
        track: (connection, refused = Effect.void) =>
          Effect.suspend(() =>
            count < connections
              ? Effect.acquireUseRelease(
                  connected,
                  () => connection,
                  () => disconnected
                )
              : Effect.andThen(
                  Effect.logWarning(`a connection was refused: ${connections} are open`),
                  refusals < REFUSED
                    ? Effect.acquireUseRelease(
                        Effect.sync(() => void refusals++),
                        () => refused,
                        () => Effect.sync(() => void refusals--)
                      )
                    : Effect.void
                )
          ),
        // Clients do not wake this while it sleeps: each command is a connection, and waits while a fiber is interrupted.
        idle: Effect.fnUntraced(function* (time) {
          const begun = yield* MonotonicTime.now
          while (true) {
            yield* empty.await
            const passed = (yield* MonotonicTime.now) - Math.max(begun, emptied)
            const left = Duration.toMillis(time) - passed
            if (left <= 0) return
            yield* Effect.sleep(left)
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

const encodeBusy = Schema.encodeSync(Errors.Busy)

/** Answers the first request of a refused connection with the reason, and closes it. */
const refuse = (socket: Socket.Socket, limit: number) =>
  Effect.gen(function* () {
    const writer = yield* socket.writer
    const { pull } = yield* socket.reader
    const [first] = yield* pull
    const id = Messages.requestId(typeof first === "string" ? first : new TextDecoder().decode(first))
    const error = new Errors.Busy({ what: "connections", limit, retry_ms: RETRY })
    if (id !== undefined) yield* writer.write(`${JSON.stringify(Messages.failure(id, encodeBusy(error)))}\n`)
  }).pipe(Effect.scoped, Effect.timeoutOption(REFUSAL), Effect.ignore)

/** Returns a socket server that counts its connections, and disconnects clients that make no progress. */
export const counted = (
  server: Layer.Layer<SocketServer.SocketServer, SocketServer.SocketServerError>
): Layer.Layer<SocketServer.SocketServer, SocketServer.SocketServerError, Connections> =>
  Layer.effect(
    SocketServer.SocketServer,
    Effect.gen(function* () {
      const clients = yield* Connections
      const inner = yield* SocketServer.SocketServer
      const { connections, progress } = yield* Limits.Limits
      return SocketServer.SocketServer.of({
        address: inner.address,
        run: (handler) =>
          inner.run((socket) =>
            ignoreDisconnect(clients.track(handler(SocketGuard.make(socket, progress)), refuse(socket, connections)))
          )
      })
    })
  ).pipe(Layer.provide(server))
