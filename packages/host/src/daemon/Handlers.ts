/**
 * The daemon's handlers for `DaemonProtocol`: operations are forwarded to the `Client` of this process, command lines to
 * the `exec` function of the daemon; requests about the daemon are answered here.
 */
import { Manager } from "@sigtrap/manager"
import { Caller, Client, Errors, Operations, type Operation } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as Stream from "effect/Stream"
import * as AuditLog from "../audit/AuditLog.ts"
import * as Connections from "./Connections.ts"
import * as DaemonProtocol from "./Protocol.ts"
import * as Version from "./Version.ts"

/** Runs a command line; the stream has its output and ends with the exit code. */
export type Exec = (
  line: DaemonProtocol.CommandLine
) => Stream.Stream<DaemonProtocol.CommandOutput, never, Client.Client>

/** The facts and functions of the daemon that the handlers use. */
export class Identity extends Context.Service<
  Identity,
  {
    readonly socket: string
    readonly log: string
    /** Milliseconds since 1970. */
    readonly started: number
    /** Shuts the daemon down after this request is answered. */
    readonly stop: Effect.Effect<void>
    readonly exec: Exec
  }
>()("@sigtrap/host/DaemonHandlers/Identity") {}

/** All operations without their types: each is forwarded in the same way. */
const operations = RpcGroup.make(...Operations.all)

/** Returns the log annotations of a call. */
const annotations = ({ session }: { readonly session?: string | undefined }) => ({
  source: "ipc",
  ...(session === undefined ? {} : { session })
})

/** Returns a client that logs its calls at debug level. */
const logged = (client: Client.Client["Service"]): Client.Client["Service"] =>
  Client.Client.of({
    call: client.call,
    callAny: (operation, payload) =>
      client.callAny(operation, payload).pipe(
        Effect.tap((answer) =>
          Effect.annotateLogs(Effect.logDebug(`${operation._tag} succeeded`), annotations(answer))
        ),
        Effect.tapError((error) =>
          Effect.annotateLogs(
            Effect.logDebug(`${operation._tag} failed: ${Errors.meta(error).code}`),
            annotations(error)
          )
        )
      )
  })

/** The key under which a connection keeps its client. */
class ConnectionActor extends Context.Service<ConnectionActor, Caller.Actor>()("@sigtrap/host/ConnectionActor") {}

/** What a handler knows about its request. */
interface Request {
  readonly client: Rpc.ServerClient
  readonly headers: Headers.Headers
}

/** Returns the caller of a request: that of its header, or the client of the connection, which may do everything. */
const callerOf = ({ client, headers }: Request): Effect.Effect<Caller.Caller, Errors.Internal> => {
  const text = headers[DaemonProtocol.callerHeader]
  if (text !== undefined) {
    return Schema.decodeEffect(DaemonProtocol.CallerText)(text).pipe(
      Effect.mapError(() => new Errors.Internal({ detail: "the caller of this request cannot be read" }))
    )
  }
  const actor = Context.getOption(client.annotations, ConnectionActor)
  return Effect.succeed({
    actor: Option.getOrElse(actor, (): Caller.Actor => ({ kind: "library" })),
    allowance: Caller.everything
  })
}

/** Returns a client that records its calls in the audit log and in the daemon's log. */
const recorded = Effect.map(Effect.all([Client.Client, AuditLog.AuditLog]), ([client, audit]) => {
  const { call, callAny } = logged(client)
  return Client.outermost({
    call: (tag, payload) => AuditLog.around(audit, Operations.byTag(tag), payload, call(tag, payload)),
    callAny: (operation, payload) => AuditLog.around(audit, operation, payload, callAny(operation, payload))
  })
})

const forwarded = operations.toLayer(
  Effect.map(recorded, (client) => {
    const entries = Operations.all.map((operation): ReadonlyArray<unknown> => [
      operation._tag,
      (payload: unknown, request: Request) =>
        Effect.flatMap(callerOf(request), (caller) =>
          Effect.provideService(client.callAny(operation, payload), Caller.Current, caller)
        )
    ])
    const handlers: RpcGroup.HandlersFrom<Operation.Any> = Object.fromEntries(entries)
    return handlers
  })
)

const own = DaemonProtocol.own.toLayer(
  Effect.gen(function* () {
    const client = yield* recorded
    const audit = yield* AuditLog.AuditLog
    const manager = yield* Manager.Manager
    const clients = yield* Connections.Connections
    const identity = yield* Identity

    const status = Effect.gen(function* () {
      return {
        pid: process.pid,
        version: Version.product,
        protocol: Version.protocol,
        socket: identity.socket,
        started_at: identity.started,
        sessions: yield* manager.live,
        clients: yield* clients.count,
        memory_bytes: process.memoryUsage().rss,
        log: identity.log
      }
    })

    /** Fails unless the protocol of the client is compatible. */
    const checkProtocol = Effect.fnUntraced(function* (protocol: string) {
      if (Version.compatible(protocol)) return
      return yield* new Errors.DaemonVersion({
        client: protocol,
        daemon: Version.protocol,
        sessions: yield* manager.live
      })
    })

    return {
      "cli.exec": ({ client: actor = { kind: "cli" }, protocol, ...line }) =>
        Stream.unwrap(Effect.as(checkProtocol(protocol), identity.exec(line))).pipe(
          Stream.provideService(Client.Client, client),
          Stream.provideService(Caller.Current, { actor, allowance: Caller.everything })
        ),
      "daemon.hello": ({ client: actor = { kind: "library" }, protocol }, { client: connection }) =>
        Effect.andThen(checkProtocol(protocol), status).pipe(
          Effect.tap(() => Effect.sync(() => connection.annotate(ConnectionActor, actor)))
        ),
      "daemon.refused": (refusal) => Effect.sync(() => audit.refused(refusal)),
      "daemon.stop": () => Effect.tap(status, () => identity.stop)
    }
  })
)

/** The group that the server serves. */
export const group = operations.merge(DaemonProtocol.own)

/** The handlers of the group. */
export const layer = Layer.merge(forwarded, own)
