/**
 * Debug servers of this machine, each for one program: lldb-server, or debugserver on macOS.
 *
 * The server connects back to a socket that the caller listens at, so nothing waits for a port. It leads a session of its own
 * (setsid), which its program and the children of the program stay in unless they leave it: a caller finds by its id what an
 * ended server left. A server that loses its connection lets its program run on, so closing the scope kills the program first.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as PlatformError from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import type * as Socket from "effect/socket/Socket"
import type * as SocketServer from "effect/socket/SocketServer"
import * as Client from "./Client.ts"
import * as Errors from "./Errors.ts"
import * as Transport from "./Transport.ts"

/** How a debug server is started. */
export interface Options {
  /** The path or name of lldb-server or debugserver. */
  readonly executable: string
  /** Which of them it is; by default that of its name. */
  readonly kind?: "lldb-server" | "debugserver"
  /**
   * A socket to which only this user can connect: lldb-server takes the path of a Unix socket, debugserver a port of this
   * machine. It is closed with the scope.
   */
  readonly listen: Effect.Effect<SocketServer.SocketServer["Service"], SocketServer.SocketServerError, Scope.Scope>
  /** The environment of the server, which its program inherits; empty by default. A name without a path is searched in its `PATH`. */
  readonly env?: Readonly<Record<string, string>>
  /** Called with the pid of the server before it can launch anything. */
  readonly spawned?: (pid: number) => Effect.Effect<void>
  /** Timeout of the start; 10 seconds. */
  readonly timeout?: Duration.Input
}

/** A debug server with its client. */
export interface DebugServer {
  readonly client: Client.Client
  /** The pid of the server, and the id of its session. */
  readonly pid: number
  /** Waits until the server has exited. */
  readonly exited: Effect.Effect<void>
}

const startError =
  (executable: string) =>
  (error: PlatformError.PlatformError): Errors.ServerFailed => {
    const reason = error.reason._tag
    if (reason === "NotFound") {
      return new Errors.ServerFailed({ reason: "notFound", executable, detail: "the file does not exist." })
    }
    return reason === "PermissionDenied"
      ? new Errors.ServerFailed({ reason: "permissionDenied", executable, detail: "permission denied." })
      : new Errors.ServerFailed({ reason: "failed", executable, detail: error.message })
  }

const argumentsOf = (kind: "lldb-server" | "debugserver", address: SocketServer.SocketServer["Service"]["address"]) => {
  const place = address._tag === "UnixPathAddress" ? `unix-connect://${address.path}` : undefined
  if (kind === "lldb-server") return ["gdbserver", "--setsid", "--reverse-connect", place ?? String(address)]
  return ["--setsid", "--reverse-connect", String(address)]
}

/** Most characters of its messages that an error has. */
const messageLimit = 500

/**
 * Starts a debug server that belongs to the scope. The scope's end kills its program and then the server.
 *
 * Two fibers belong to the scope: one keeps the last message of the server, one accepts its connection.
 */
export const start = Effect.fn("DebugServer.start")(function* (options: Options) {
  const { executable } = options
  const limit = Duration.fromInputUnsafe(options.timeout ?? "10 seconds")
  const kind = options.kind ?? (/debugserver/.test(executable) ? "debugserver" : "lldb-server")
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const failed = (detail: string) => new Errors.ServerFailed({ reason: "failed", executable, detail })
  const server = yield* Effect.mapError(options.listen, (error) => failed(error.message))
  const accepted = Deferred.makeUnsafe<Socket.Socket>()
  yield* server
    .run((socket) => (Deferred.doneUnsafe(accepted, Exit.succeed(socket)) ? Effect.never : Effect.void))
    .pipe(Effect.ignore, Effect.forkScoped)
  const handle = yield* Effect.mapError(
    spawner.spawn(
      ChildProcess.make(executable, argumentsOf(kind, server.address), {
        env: { ...options.env },
        extendEnv: false,
        stdin: "ignore",
        stdout: "ignore",
        forceKillAfter: "1 second"
      })
    ),
    startError(executable)
  )
  if (options.spawned !== undefined) yield* options.spawned(handle.pid)
  let said = ""
  yield* Stream.runForEach(Stream.decodeText(handle.stderr), (text) =>
    Effect.sync(() => {
      said = (said + text).slice(-messageLimit)
    })
  ).pipe(Effect.ignore, Effect.forkScoped)
  const exited = Effect.asVoid(Effect.exit(handle.exitCode))
  const socket = yield* Effect.raceFirst(
    Deferred.await(accepted),
    Effect.andThen(
      exited,
      Effect.suspend(() => Effect.fail(failed(`it exited at once. It printed: ${said.trim()}`)))
    )
  ).pipe(
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () =>
        Effect.fail(new Errors.ServerFailed({ reason: "timeout", executable, detail: "it did not connect." }))
    })
  )
  const client = yield* Client.make({ transport: yield* Transport.socket(socket) })
  yield* Effect.addFinalizer(() => end(client))
  return { client, pid: handle.pid, exited } satisfies DebugServer
})

/** Kills the program. A running one is stopped first, because the server takes no request meanwhile. */
const end = (client: Client.Client) =>
  Effect.gen(function* () {
    if (client.state() === "running") {
      yield* client.interrupt
      yield* client.outcome
    }
    if (client.state() === "stopped") yield* client.kill
  }).pipe(Effect.timeoutOption("2 seconds"), Effect.ignore)

/** Starts a debug server for the life of the layer, and provides its client. */
export const layer = (
  options: Options
): Layer.Layer<Client.Client, Errors.ServerFailed | Errors.RequestError, ChildProcessSpawner.ChildProcessSpawner> =>
  Layer.effect(
    Client.Client,
    Effect.map(start(options), ({ client }) => client)
  )
