/**
 * A `Client` whose operations run in the daemon, over its socket.
 *
 * All calls share one connection, which the first call opens; if no daemon answers, one is started. When the connection
 * breaks, its calls fail, whether or not the daemon has run them, and the next call opens a new one. No call is retried.
 * A connection that broke between two calls is replaced without an error.
 */
import { Caller, Client, Errors, Feed, Hint, type Operation, Operations } from "@sigtrap/protocol"
import * as NodeSocket from "@effect/platform-node-shared/NodeSocket"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as RpcClient from "effect/rpc/RpcClient"
import type { RpcClientError } from "effect/rpc/RpcClientError"
import type { SocketError } from "effect/socket/Socket"
import * as Refusals from "../../audit/Refusals.ts"
import { Grants } from "../../http/Grants.ts"
import { PageTokens, PageLink } from "../../http/PageTokens.ts"
import * as DirectRequests from "./DirectRequests.ts"
import * as ClientProtocol from "./ClientProtocol.ts"
import * as Executable from "../start/Executable.ts"
import * as Traces from "../../tracing/Traces.ts"
import * as DaemonProtocol from "../Protocol.ts"
import * as RemoteGrants from "./RemoteGrants.ts"
import * as PageOpener from "../PageOpener.ts"
import * as RemotePageTokens from "./RemotePageTokens.ts"
import { Startup } from "../start/Startup.ts"
import type { Place } from "../../runtime/RuntimePath.ts"
import * as RuntimeDirectory from "../../runtime/RuntimeDirectory.ts"
import * as Version from "../Version.ts"

/** Timeout of the first answer, in milliseconds; the same as that of the command line. */
const HELLO = 5000

/** How a client connects. */
export interface Options {
  /** The runtime directory, if the user named one. */
  readonly runtimeDirectory?: string | undefined
  /** The command that starts a daemon if none answers, or "none" to fail instead; by default the installed `sigtrap`. */
  readonly daemon?: Executable.Command | "none" | undefined
  /** Who calls on the connection; by default a library in the working directory of this process. */
  readonly actor?: Caller.Actor | undefined
}

/** The RPC client of the daemon's socket. Operations are called by `DirectRequests`. */
export interface Remote extends RpcClient.FromGroup<typeof DaemonProtocol.own, RpcClientError> {}

/** An open connection. */
export interface Connection {
  readonly remote: Remote
  /** Requests an operation. */
  readonly request: DirectRequests.Request
  readonly status: DaemonProtocol.Status
  readonly scope: Scope.Closeable
  /** True once it has ended. */
  readonly isClosed: () => boolean
}

/** The errors of connecting. */
export type Refused = Errors.DaemonUnreachable | Errors.DaemonVersion | (typeof Errors.limits)[number]["Type"]

const unreachable = (detail: string, hint: Hint.Hint = Hint.local("daemon.status")) =>
  new Errors.DaemonUnreachable({ detail, remedies: [hint] })

const isTransport = (error: unknown): error is RpcClientError | SocketError =>
  Predicate.isTagged(error, "RpcClientError") || Predicate.isTagged(error, "SocketError")

const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: HELLO,
    orElse: () => Effect.fail(unreachable(`it does not answer within ${HELLO / 1000} s`))
  })

const broken = () => Effect.fail(unreachable("the connection broke"))

/** Returns what opens the page of a daemon. */
export const opener = (remote: Remote): PageOpener.Open =>
  PageOpener.make({
    serve: (request) => Effect.catchTag(remote["daemon.serve"](request), "RpcClientError", broken),
    create: (request) => Effect.catchTag(remote["page.code"](request), "RpcClientError", broken)
  })

/** Opens a connection and sends a first request; returns `undefined` if no daemon answers. */
const open = Effect.fnUntraced(function* <A, E>(
  socket: string,
  first: (remote: Remote) => Effect.Effect<A, E | RpcClientError>
) {
  const scope = yield* Scope.make()
  let closed = false
  const protocol = ClientProtocol.layer(NodeSocket.layerNet({ path: socket }), () => {
    closed = true
  })
  const connection = Effect.gen(function* () {
    const context = yield* Layer.buildWithScope(protocol, scope)
    const remote = yield* RpcClient.make(DaemonProtocol.own, { disableTracing: true }).pipe(
      Effect.provideContext(context),
      Scope.provide(scope)
    )
    const request = yield* DirectRequests.make(Context.get(context, RpcClient.Protocol)).pipe(Scope.provide(scope))
    return { remote, request, first: yield* within(first(remote)), scope, isClosed: () => closed }
  })
  return yield* connection.pipe(
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
    // No operation has been sent yet, so a connection that breaks is treated as no daemon.
    Effect.catchIf(isTransport, () => Effect.succeed(undefined))
  )
})

/**
 * Connects without starting a daemon; returns `undefined` if none listens. With `replaces`, a daemon of another version that has
 * nothing to do ends, and counts as none.
 */
export const dial = Effect.fn("RemoteClient.dial")(function* (
  socket: string,
  actor?: Caller.Actor,
  replaces = false
): Effect.fn.Return<Connection | undefined, Refused> {
  const client = actor ?? { kind: "library", project: process.cwd() }
  const versions = { protocol: Version.protocol, ...(replaces ? { version: Version.product } : {}) }
  const opened = yield* open(socket, (remote) => remote["daemon.hello"]({ ...versions, client })).pipe(
    Effect.catchIf(
      (error) => Predicate.isTagged(error, "DaemonVersion") && error.ended === true,
      () => Effect.succeed(undefined)
    )
  )
  if (opened === undefined) return undefined
  const { first, ...connection } = opened
  return { ...connection, status: first } satisfies Connection
})

/** Stops a daemon of any protocol version; returns its status, or `undefined` if none listens. */
export const stop = Effect.fn("RemoteClient.stop")(function* (
  socket: string
): Effect.fn.Return<DaemonProtocol.Status | undefined, Refused> {
  const opened = yield* open(socket, (remote) => remote["daemon.stop"]())
  if (opened === undefined) return undefined
  yield* Scope.close(opened.scope, Exit.void)
  return opened.first
})

/** Starts a daemon and connects to it. */
const start = Effect.fnUntraced(function* (place: Place, command: Executable.Command, actor?: Caller.Actor) {
  const startup = new Startup(command, place)
  while (true) {
    const problem = startup.next()
    if (problem !== undefined) return yield* unreachable(problem, Hint.remedy(`tail ${place.log}`))
    // There is no event for the creation of the socket, so it is polled until the deadline.
    yield* Effect.sleep("25 millis")
    const connection = yield* dial(place.socket, actor, true)
    if (connection !== undefined) return connection
  }
})

/** Connects; if no daemon answers, starts one unless the options forbid it. */
export const connect = Effect.fn("RemoteClient.connect")(function* (
  options: Options = {}
): Effect.fn.Return<Connection, Refused> {
  const place = yield* RuntimeDirectory.make(options.runtimeDirectory)
  const connection = yield* dial(place.socket, options.actor, options.daemon !== "none")
  if (connection !== undefined) return connection
  if (options.daemon === "none") {
    return yield* unreachable(`no daemon listens on ${place.socket}`, Hint.local("daemon.start"))
  }
  const command = options.daemon ?? Executable.find(import.meta.dirname, process.env)
  if (command === undefined) {
    return yield* unreachable(
      `none runs, and no sigtrap is installed to start one`,
      Hint.remedy(`set ${Executable.EXECUTABLE_VARIABLE} to the path of sigtrap, or run npm install sigtrap`)
    )
  }
  return yield* start(place, command, options.actor)
})

type Failure = Errors.SigtrapError

/** Returns the headers of a request: those of its trace, and the caller if this process calls for another. */
const withCaller = (trace: { readonly [name: string]: string }) =>
  Effect.map(Effect.context<never>(), (context) => {
    const caller = Context.getOrUndefined(context, Caller.Current)
    // The encoded form of a caller has the same fields as the caller itself.
    return caller === undefined ? trace : { ...trace, [DaemonProtocol.callerHeader]: JSON.stringify(caller) }
  })

const make = Effect.fnUntraced(function* (options: Options) {
  const lifetime = yield* Effect.scope
  const connecting = yield* Semaphore.make(1)
  let current: Connection | undefined

  const forget = (connection: Connection) =>
    Effect.suspend(() => {
      if (current === connection) current = undefined
      return Scope.close(connection.scope, Exit.void)
    })

  yield* Scope.addFinalizer(
    lifetime,
    Effect.suspend(() => (current === undefined ? Effect.void : forget(current)))
  )

  const connectedNow = connecting.withPermit(
    Effect.gen(function* () {
      // The daemon of an idle connection may have ended; no call was sent to it.
      if (current?.isClosed() === true) yield* forget(current)
      return (current ??= yield* connect(options))
    })
  )

  const connected = Effect.suspend(() =>
    current === undefined || current.isClosed() ? connectedNow : Effect.succeed(current)
  )

  const calling = Effect.fnUntraced(function* (
    operation: Operation.Any,
    payload: unknown,
    trace: { readonly [name: string]: string }
  ) {
    const connection = yield* connected
    const request = connection.request(operation, payload, yield* withCaller(trace))
    const result = yield* Effect.result(
      Effect.catchDefect(request, (defect) => Effect.fail(new Errors.Internal({ detail: String(defect) })))
    )
    if (Result.isSuccess(result)) return result.success
    if (result.failure._tag !== "RpcClientError") return yield* Effect.fail(result.failure)
    yield* forget(connection)
    return yield* unreachable(
      `the connection broke during ${operation._tag}, which may or may not have run`,
      Hint.call("status", {})
    )
  })

  const callAny = (operation: Operation.Any, payload: unknown) =>
    Traces.within("RemoteClient.call", (trace) => calling(operation, payload, trace))

  function call<T extends Operations.Tag>(
    tag: T,
    payload: Operations.Payload<T>
  ): Effect.Effect<Operations.Answer<T>, Client.Failure<T>>
  function call(tag: Operations.Tag, payload: unknown): Effect.Effect<unknown, Failure> {
    const operation = Operations.find(tag)
    return operation === undefined
      ? Effect.fail(unreachable(`it has no operation ${tag}`))
      : callAny(operation, payload)
  }

  // A report that does not arrive is lost: the server has already refused the request.
  const report = yield* Refusals.make((refusal) =>
    Effect.ignore(Effect.flatMap(connected, ({ remote }) => Effect.ignoreCause(remote["daemon.refused"](refusal))))
  )
  const client = Client.Client.of({ call, callAny })
  const feed = Feed.Feed.of({
    lines: (request) =>
      Stream.unwrap(
        Effect.map(Effect.all([connected, Effect.flatMap(Traces.headers, withCaller)]), ([{ remote }, sent]) =>
          remote["daemon.observe"](request, { headers: sent })
        )
      ).pipe(
        Stream.catchTag("RpcClientError", () =>
          Stream.fail(unreachable("the connection broke while it was observed", Hint.call("status", {})))
        )
      )
  })
  return Context.make(Client.Client, client).pipe(
    Context.add(Feed.Feed, feed),
    Context.add(Refusals.Refusals, report),
    Context.add(Grants, yield* RemoteGrants.make(connected)),
    Context.add(PageTokens, RemotePageTokens.make(connected)),
    Context.add(PageLink, RemotePageTokens.links(connected)),
    Context.add(PageOpener.PageOpener, (request) => Effect.flatMap(connected, ({ remote }) => opener(remote)(request)))
  )
})

/** The client and the stream of the daemon, the reporter of refusals to it, and its granted tokens. The client connects at the first call. */
export const layer = (options: Options = {}): Layer.Layer<Client.Client | Feed.Feed> =>
  Layer.effectContext(make(options))
