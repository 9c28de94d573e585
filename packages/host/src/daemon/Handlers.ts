/**
 * The daemon's side of `DaemonProtocol`: operations go to the client of this process, command lines to the function the
 * daemon was given, and what concerns the daemon is answered here.
 */
import { Manager } from "@sigtrap/manager"
import { Client, Errors, Operations, type Operation } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as Stream from "effect/Stream"
import * as Connections from "./Connections.ts"
import * as DaemonProtocol from "./Protocol.ts"
import * as Version from "./Version.ts"

/** Runs a command line; what it writes, its exit code last. */
export type Exec = (
  line: DaemonProtocol.CommandLine
) => Stream.Stream<DaemonProtocol.CommandOutput, never, Client.Client>

/** What the handlers need to know of their daemon. */
export class Identity extends Context.Service<
  Identity,
  {
    readonly socket: string
    readonly log: string
    /** Milliseconds since 1970. */
    readonly started: number
    /** Makes the daemon end once this request was answered. */
    readonly stop: Effect.Effect<void>
    readonly exec: Exec
  }
>()("@sigtrap/host/DaemonHandlers/Identity") {}

/** The operations with their types forgotten: each goes to the client by the same way. */
const operations = RpcGroup.make(...Operations.all)

/** What a record about a call says of it. */
const told = ({ session }: { readonly session?: string | undefined }) => ({
  source: "ipc",
  ...(session === undefined ? {} : { session })
})

/** A client whose calls are in the log, for those who look for what was asked when. */
const logging = (client: Client.Client["Service"]): Client.Client["Service"] =>
  Client.Client.of({
    call: client.call,
    callAny: (operation, payload) =>
      client.callAny(operation, payload).pipe(
        Effect.tap((answer) => Effect.annotateLogs(Effect.logDebug(`${operation._tag} is answered`), told(answer))),
        Effect.tapError((error) =>
          Effect.annotateLogs(Effect.logDebug(`${operation._tag} failed: ${Errors.meta(error).code}`), told(error))
        )
      )
  })

const forwarded = operations.toLayer(
  Effect.map(Effect.map(Client.Client, logging), (client) => {
    const entries = Operations.all.map((operation): ReadonlyArray<unknown> => [
      operation._tag,
      (payload: unknown) => client.callAny(operation, payload)
    ])
    const handlers: RpcGroup.HandlersFrom<Operation.Any> = Object.fromEntries(entries)
    return handlers
  })
)

const own = DaemonProtocol.own.toLayer(
  Effect.gen(function* () {
    const client = yield* Client.Client
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

    /** Fails unless the other side can be understood. */
    const understand = Effect.fnUntraced(function* (protocol: string) {
      if (Version.compatible(protocol)) return
      return yield* new Errors.DaemonVersion({
        client: protocol,
        daemon: Version.protocol,
        sessions: yield* manager.live
      })
    })

    return {
      "cli.exec": ({ protocol, ...line }) =>
        Stream.unwrap(Effect.as(understand(protocol), identity.exec(line))).pipe(
          Stream.provideService(Client.Client, logging(client))
        ),
      "daemon.hello": ({ protocol }) => Effect.andThen(understand(protocol), status),
      "daemon.stop": () => Effect.tap(status, () => identity.stop)
    }
  })
)

/** Everything that can be asked, as the server needs it. */
export const group = operations.merge(DaemonProtocol.own)

/** Handlers for everything in the group. */
export const layer = Layer.merge(forwarded, own)
