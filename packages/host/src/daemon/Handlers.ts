/**
 * The daemon's handlers for `DaemonProtocol`: operations are forwarded to the `Client` of this process, command lines to
 * the `exec` function of the daemon; requests about the daemon are answered here.
 */
import { Manager, Questions, SessionLease } from "@sigtrap/manager"
import { Caller, Client, Errors, Feed, Operations, type Operation } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import type * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as Stream from "effect/Stream"
import * as AuditLog from "../audit/AuditLog.ts"
import { ActorConnections } from "./socket/ActorConnections.ts"
import * as Connections from "./socket/Connections.ts"
import * as DebuggerServices from "../debuggers/DebuggerServices.ts"
import { GrantStore, type Request as GrantRequest } from "./tokens/GrantStore.ts"
import * as CommandLineActor from "./socket/CommandLineActor.ts"
import { HttpServing, type Request as ServeRequest } from "./HttpServing.ts"
import { PageCodes, type Request as PageRequest } from "./tokens/PageCodes.ts"
import * as PageOpener from "./PageOpener.ts"
import type * as PageTokens from "../http/PageTokens.ts"
import * as DaemonProtocol from "./Protocol.ts"
import { SlowCalls } from "./SlowCalls.ts"
import { TextMemo } from "../runtime/TextMemo.ts"
import * as Traces from "../tracing/Traces.ts"
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
      Effect.flatMap(References.MinimumLogLevel, (least) => {
        const call = client.callAny(operation, payload)
        if (LogLevel.isGreaterThan(least, "Debug")) return call
        return call.pipe(
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
  })

/** The key under which a connection keeps its client. */
class ConnectionActor extends Context.Service<ConnectionActor, Caller.Actor>()("@sigtrap/host/ConnectionActor") {}

/** The versions of a client. */
interface ClientVersion {
  readonly protocol: string
  /** Absent if the client uses any daemon of a compatible protocol. */
  readonly version?: string | undefined
}

/** What a handler knows about its request. */
interface Request {
  readonly client: Rpc.ServerClient
  readonly headers: Headers.Headers
}

const decodeCaller = Schema.decodeEffect(DaemonProtocol.CallerText)

/** Callers by the text of their header. A server sends the same text with most requests of one client. */
const callers = new TextMemo<Caller.Caller>({ entries: 64, characters: 4096 })

/** Returns the caller of a request: that of its header, or the client of the connection, which may do everything. */
const callerOf = ({ client, headers }: Request): Effect.Effect<Caller.Caller, Errors.Internal> => {
  const text = headers[DaemonProtocol.callerHeader]
  if (text !== undefined) {
    const known = callers.get(text)
    if (known !== undefined) return Effect.succeed(known)
    return decodeCaller(text).pipe(
      Effect.mapBoth({
        onFailure: () => new Errors.Internal({ detail: "the caller of this request cannot be read" }),
        onSuccess: (caller) => {
          callers.set(text, caller)
          return caller
        }
      })
    )
  }
  const actor = Context.getOption(client.annotations, ConnectionActor)
  return Effect.succeed({
    actor: Option.getOrElse(actor, (): Caller.Actor => ({ kind: "library" })),
    allowance: Caller.everything
  })
}

/** Fails unless the owner calls: on the socket, and not a server for another one. */
const owner = (operation: string, request: Request) =>
  Effect.flatMap(callerOf(request), ({ actor, allowance }) =>
    Caller.missing(allowance, [{ effect: "owner" }]).length === 0
      ? Effect.succeed(actor)
      : Effect.fail(new Errors.TierRequired({ operation, missing: [{ effect: "owner", tier: "owner" }] }))
  )

/** The requests about granted tokens. */
const grantRequests = (grants: GrantStore["Service"], { acted }: AuditLog.AuditLog["Service"]) => ({
  "grant.create": (asked: GrantRequest, request: Request) =>
    Effect.flatMap(owner("grant", request), (actor) =>
      Effect.tap(grants.create(asked), ({ grant }) => {
        const { ask, expires, id, name, session, tiers } = grant
        acted({ actor, operation: "grant", args: { id, name, session, tiers, ask, expires } })
        return Effect.void
      })
    ),
  "grant.list": (_: void, request: Request) =>
    Effect.andThen(
      owner("grant list", request),
      Effect.map(grants.list, (list) => ({ grants: list }))
    ),
  "grant.revoke": ({ id }: { readonly id: string }, request: Request) =>
    Effect.flatMap(owner("grant revoke", request), (actor) =>
      Effect.tap(grants.revoke(id), ({ revoked }) => {
        acted({ actor, operation: "grant.revoke", args: { id: revoked } })
        return Effect.void
      })
    ),
  "grant.verify": ({ token }: { readonly token: string }) =>
    Effect.map(grants.verify(token), (credential) => (credential === undefined ? {} : { credential })),
  "grant.ended": ({ id }: { readonly id: string }) => grants.ended(id)
})

/** The requests about the codes of the page. */
const pageRequests = (create: CreateCode, codes: PageCodes["Service"]) => ({
  "page.code": (asked: PageRequest, request: Request) =>
    Effect.flatMap(owner("web", request), (actor) => create(actor, asked)),
  "page.exchange": (sent: PageTokens.Sent) => codes.exchange(sent)
})

/** Creates a code for an owner, and records that. */
type CreateCode = (actor: Caller.Actor, asked: PageRequest) => ReturnType<PageCodes["Service"]["create"]>

const createCode =
  (codes: PageCodes["Service"], { acted }: AuditLog.AuditLog["Service"]): CreateCode =>
  (actor, asked) =>
    Effect.tap(codes.create(asked), () => {
      acted({ actor, operation: "web", args: { ...asked } })
      return Effect.void
    })

/** Starts the HTTP server for an owner, and records that. */
const serveAs =
  (http: HttpServing["Service"], { acted }: AuditLog.AuditLog["Service"]) =>
  (actor: Caller.Actor, asked: ServeRequest) =>
    Effect.tap(http.serve(asked), ({ address, already, port }) => {
      if (!already) acted({ actor, operation: "serve", args: { address, port } })
      return Effect.void
    })

/** The requests about the HTTP server. */
const serveRequests = (http: HttpServing["Service"], audit: AuditLog.AuditLog["Service"]) => ({
  "daemon.serve": (asked: ServeRequest, request: Request) =>
    Effect.flatMap(owner("serve", request), (actor) => serveAs(http, audit)(actor, asked)),
  "daemon.unserve": (_: void, request: Request) =>
    Effect.flatMap(owner("serve", request), (actor) =>
      Effect.map(http.stop, (stopped) => {
        if (stopped) audit.acted({ actor, operation: "serve", args: { stop: true } })
        return { stopped }
      })
    )
})

/** Returns a client that measures its calls and records them in the audit log and in the daemon's log. */
export const recorded = Effect.map(
  Effect.all([Client.Client, AuditLog.AuditLog, SlowCalls]),
  ([client, audit, slow]) => {
    const { call, callAny } = slow.measured(logged(client))
    return Client.outermost({
      call: (tag, payload) => AuditLog.around(audit, Operations.byTag(tag), payload, call(tag, payload)),
      callAny: (operation, payload) => AuditLog.around(audit, operation, payload, callAny(operation, payload))
    })
  }
)

const forwarded = operations.toLayer(
  Effect.map(Effect.all([recorded, ActorConnections, Traces.Traces]), ([client, actors, tracing]) => {
    const entries = Operations.all.map((operation): ReadonlyArray<unknown> => [
      operation._tag,
      (payload: unknown, request: Request) =>
        Effect.flatMap(callerOf(request), (caller) => {
          actors.called(request.client.id, caller.actor)
          const link = request.headers[Traces.header]
          const call = client.callAny(operation, payload)
          return (link === undefined ? call : tracing.continued(link, call)).pipe(
            Effect.provideService(Caller.Current, caller),
            Effect.provideService(SessionLease.Connected, true),
            Effect.provideService(Questions.Connection, String(request.client.id))
          )
        })
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
    const feed = yield* Feed.Feed
    const http = yield* HttpServing
    const grants = grantRequests(yield* GrantStore, audit)
    const codes = yield* PageCodes
    const create = createCode(codes, audit)
    const pages = pageRequests(create, codes)
    const slow = yield* SlowCalls

    const waiting = yield* DebuggerServices.Prestarted

    const status = Effect.gen(function* () {
      const prestarted = yield* waiting
      return {
        pid: process.pid,
        version: Version.product,
        protocol: Version.protocol,
        socket: identity.socket,
        started_at: identity.started,
        sessions: yield* manager.live,
        clients: yield* clients.count,
        memory_bytes: process.memoryUsage().rss,
        ...(prestarted === undefined ? {} : { prestarted }),
        log: identity.log
      }
    })

    /**
     * Fails unless the client may use this daemon. A daemon that has no session and no other client ends if the client has
     * another version and can start its own.
     */
    const checkVersion = Effect.fnUntraced(function* ({ protocol, version }: ClientVersion) {
      const compatible = Version.compatible(protocol)
      if (compatible && (version === undefined || version === Version.product)) return
      const sessions = yield* manager.live
      if (version !== undefined && sessions === 0 && (yield* clients.count) <= 1) {
        yield* Effect.logInfo(`a client of version ${version} replaces this daemon`)
        yield* identity.stop
        return yield* new Errors.DaemonVersion({ client: version, daemon: Version.product, sessions, ended: true })
      }
      if (!compatible) return yield* new Errors.DaemonVersion({ client: protocol, daemon: Version.protocol, sessions })
    })

    /** Versions of clients that have got the warning about another version. */
    const warned = new Set([Version.product])

    /** The warning about another version, once for each version of a client. */
    const warning = ({ version = Version.product }: ClientVersion): Stream.Stream<DaemonProtocol.CommandOutput> => {
      if (warned.has(version)) return Stream.empty
      warned.add(version)
      const text = `warning: the daemon still has version ${Version.product}, this sigtrap ${version}: sigtrap daemon restart ends its sessions\n`
      return Stream.succeed({ _tag: "Stderr", text })
    }

    return {
      ...grants,
      ...pages,
      "cli.exec": ({ client: named = { kind: "cli" }, origin, protocol, version, ...line }) =>
        Stream.unwrap(
          Effect.map(Effect.andThen(checkVersion({ protocol, version }), CommandLineActor.of(named, origin)), (actor) =>
            Stream.concat(
              warning({ protocol, version }),
              identity.exec(line).pipe(
                Stream.provideService(Caller.Current, { actor, allowance: Caller.everything }),
                Stream.provideService(
                  PageOpener.PageOpener,
                  PageOpener.make({
                    serve: (asked) => serveAs(http, audit)(actor, asked),
                    create: (asked) => create(actor, asked)
                  })
                )
              )
            )
          )
        ).pipe(Stream.provideService(Client.Client, client)),
      "daemon.hello": ({ client: actor = { kind: "library" }, ...versions }, { client: connection }) =>
        Effect.andThen(checkVersion(versions), status).pipe(
          Effect.tap(() => Effect.sync(() => connection.annotate(ConnectionActor, actor)))
        ),
      "daemon.observe": (request, { client: connection, headers }) =>
        Stream.unwrap(
          Effect.map(callerOf({ client: connection, headers }), (caller) =>
            Stream.provideService(feed.lines(request), Caller.Current, caller)
          )
        ),
      "daemon.refused": (refusal) => Effect.sync(() => audit.refused(refusal)),
      "daemon.slow": ({ limit }, request) =>
        Effect.map(owner("log --slow", request), () => ({ calls: slow.list(limit) })),
      ...serveRequests(http, audit),
      "daemon.stop": () => Effect.tap(status, () => identity.stop)
    }
  })
)

/** The group that the server serves. */
export const group = operations.merge(DaemonProtocol.own)

/** The handlers of the group. */
export const layer = Layer.merge(forwarded, own)
