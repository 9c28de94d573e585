/**
 * Connections to debug adapters that listen on a TCP port or a Unix domain socket, and sockets at which debug servers and debuggers
 * connect; the platform provides them.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Socket from "effect/socket/Socket"
import type * as SocketServer from "effect/socket/SocketServer"

/** The service that opens sockets to adapters. */
export class AdapterSockets extends Context.Service<
  AdapterSockets,
  {
    /** A TCP connection, opened when it is first read; it belongs to the scope of its reader. */
    readonly connect: (host: string, port: number) => Effect.Effect<Socket.Socket>
    /** A connection to a Unix domain socket, opened when it is first read; it belongs to the scope of its reader. */
    readonly open: (path: string) => Effect.Effect<Socket.Socket>
    /** Listens at a Unix domain socket; the scope's end removes it. */
    readonly listen: (
      path: string
    ) => Effect.Effect<SocketServer.SocketServer["Service"], SocketServer.SocketServerError, Scope.Scope>
    /** A port of 127.0.0.1 at which nothing listens. */
    readonly freePort: Effect.Effect<number>
  }
>()("@sigtrap/backends/AdapterSockets") {}
