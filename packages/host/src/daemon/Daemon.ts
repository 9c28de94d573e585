/**
 * The daemon: one process per user that holds the sessions and serves its socket.
 *
 * The order of the steps matters. First the lock: its holder is the daemon. Only the holder cleans up after a killed
 * daemon, binds a socket under a private name, and publishes it by renaming. It removes the published socket only if
 * that is still its own. Fibers: one waits for a signal and one serves (both end with the scope); one per connection
 * (ends with it); the main one waits for a stop request, a signal, or the idle timeout.
 */
import { Manager } from "@sigtrap/manager"
import { Client, Errors, Feed, Hint } from "@sigtrap/protocol"
import * as NodeSocketServer from "@effect/platform-node-shared/NodeSocketServer"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as RpcServer from "effect/rpc/RpcServer"
import * as Scope from "effect/Scope"
import { lstatSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Admission from "./socket/Admission.ts"
import { ActorConnections } from "./socket/ActorConnections.ts"
import type * as AuditFiles from "../audit/AuditFiles.ts"
import * as AuditLog from "../audit/AuditLog.ts"
import * as Refusals from "../audit/Refusals.ts"
import * as Connections from "./socket/Connections.ts"
import * as FileReader from "../files/FileReader.ts"
import * as GrantStore from "./tokens/GrantStore.ts"
import { Grants } from "../http/Grants.ts"
import { type MakeLink, PageTokens, PageLink } from "../http/PageTokens.ts"
import * as DaemonHandlers from "./Handlers.ts"
import * as HolderRecord from "./start/HolderRecord.ts"
import * as Lock from "./start/Lock.ts"
import * as Limits from "./socket/Limits.ts"
import * as HttpServing from "./HttpServing.ts"
import * as LogFile from "./LogFile.ts"
import * as Messages from "./socket/Messages.ts"
import * as PageCodes from "./tokens/PageCodes.ts"
import * as RecordedPrograms from "./supervisor/RecordedPrograms.ts"
import { RuntimeDirectory } from "../runtime/RuntimeDirectory.ts"
import * as Signals from "./Signals.ts"
import { SlowCalls } from "./SlowCalls.ts"
import * as Supervisor from "./supervisor/Supervisor.ts"
import * as Traces from "../tracing/Traces.ts"
import * as Version from "./Version.ts"

/** Default time after which the process of a daemon that shuts down exits, in milliseconds. */
const FORCED_EXIT = 8000

/** Timeout for all sessions to end at shutdown. */
const SESSIONS_END = "6 seconds"

/** Timeout for the requests of the HTTP server to end at shutdown. */
const HTTP_ENDS = "2 seconds"

/** Time of a first session without a supervisor, whose start would compete with that of the debugger. */
const SESSION_STARTS = "500 millis"

/** Timeout for clients to read their last answer at shutdown. */
const CLIENTS_LEAVE = "500 millis"

/** Starts the HTTP server of a daemon. */
type HttpStart = (
  options: Parameters<HttpServing.Start>[0]
) => Effect.Effect<
  Effect.Success<ReturnType<HttpServing.Start>>,
  HttpServing.Failure,
  Client.Client | Feed.Feed | Scope.Scope
>

/** Options of a daemon. */
export interface Options<E> {
  /** The sessions; built only if this process gets the lock. */
  readonly sessions: Layer.Layer<Client.Client | Feed.Feed | Manager.Manager, E, RuntimeDirectory>
  /** Starts the HTTP server; without it the daemon has none. */
  readonly http?: HttpStart | undefined
  /** Runs a command line. */
  readonly exec: DaemonHandlers.Exec
  /** Runs when clients can connect. */
  readonly onListening?: Effect.Effect<void> | undefined
  /** Idle timeout: how long to run without session and client; 30 minutes. */
  readonly idle?: Duration.Input | undefined
  /** The path of `SupervisorThread`; without it no supervisor is started. */
  readonly supervisor?: string | undefined
  /** Time between two times that the main thread stores for the supervisor, in milliseconds; 500. */
  readonly beat?: number | undefined
  /**
   * Time after which the process exits when it shuts down, whatever it waits for, in milliseconds; 8 seconds. Launched programs
   * that remain are killed then.
   */
  readonly exitWithin?: number | undefined
  /** Limits of connections and messages that differ from the standard. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** How long the audit log is kept. */
  readonly audit?: Partial<AuditFiles.Limits> | undefined
  /** Level and size of the log. */
  readonly log?: LogFile.Options | undefined
}

/** How a daemon ended: it was stopped, another held the lock, or an uncaught failure stopped it. */
export type Outcome = "served" | "taken" | "broken"

const server = (path: string) =>
  Layer.unwrap(
    Effect.map(ActorConnections, ({ closed }) =>
      RpcServer.layer(DaemonHandlers.group, { disableTracing: true, disableFatalDefects: true, onDisconnect: closed })
    )
  ).pipe(
    Layer.provide(DaemonHandlers.layer),
    Layer.provide(ActorConnections.layer),
    Layer.provide(Admission.layer),
    Layer.provide(Connections.counted(NodeSocketServer.layer({ path }))),
    Layer.provide(Messages.server)
  )

/** Runs an effect with a umask that gives new sockets mode 0600; programs started later do not inherit it. */
const withPrivateMask = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => process.umask(0o177)),
    () => effect,
    (mask) => Effect.sync(() => process.umask(mask))
  )

const inode = (path: string): number | undefined => {
  try {
    return lstatSync(path).ino
  } catch {
    return undefined
  }
}

/** Renames the socket to its public name; removes that name at the end if it is still this socket. */
const publish = (bound: string, socket: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const inodeOfBound = inode(bound)
      renameSync(bound, socket)
      return inodeOfBound
    }),
    (inodeOfBound) =>
      Effect.sync(() => {
        if (inodeOfBound !== undefined && inode(socket) === inodeOfBound) rmSync(socket, { force: true })
      })
  )

/** Completes when no client was connected for this time, no session is live and no HTTP server runs. */
const idleTimeout = Effect.fnUntraced(function* (time: Duration.Input, isServing: () => boolean) {
  const clients = yield* Connections.Connections
  const manager = yield* Manager.Manager
  while (true) {
    yield* clients.idle(time)
    if ((yield* manager.live) === 0 && (yield* clients.count) === 0 && !isServing()) return
  }
})

/**
 * Returns a function that lets the process exit `millis` after its first call, unless the scope ends before. `sessions` is the folder of
 * the records.
 */
const forcedExit = Effect.fnUntraced(function* (sessions: string, millis: number) {
  const context = yield* Effect.context<never>()
  let timer: ReturnType<typeof setTimeout> | undefined
  // A process that runs a daemon may do other work after it.
  yield* Effect.addFinalizer(() => Effect.sync(() => clearTimeout(timer)))
  return () => {
    timer ??= setTimeout(() => {
      const { ended, left } = RecordedPrograms.end(sessions)
      const names = (list: typeof ended) => list.map(({ session }) => session).join(", ") || "none"
      Effect.runForkWith(context)(
        Effect.logError(`shutdown took too long; killed: ${names(ended)}; left running: ${names(left)}`)
      )
      process.exit(1)
    }, millis)
    timer.unref()
  }
})

/** Records that this process holds the lock, and removes the record at the end. */
const holder = (path: string, started: number) =>
  Effect.acquireRelease(
    Effect.sync(() => HolderRecord.write(path, Version.product, started)),
    () => Effect.sync(() => HolderRecord.remove(path))
  )

/** Makes the folder of pipes and debuggers' homes. Removes those that a killed daemon left. */
const emptyStreams = (path: string) =>
  Effect.try(() => {
    rmSync(path, { recursive: true, force: true })
    mkdirSync(path, { mode: 0o700 })
  }).pipe(Effect.catch((error) => Effect.logWarning(`program streams: ${String(error.cause)}`)))

/** Creates read-only links for persons in front of a page, and records that. */
const linking =
  (codes: PageCodes.PageCodes["Service"], { acted }: AuditLog.AuditLog["Service"]): MakeLink =>
  (actor, session) =>
    Effect.tap(codes.create({ tiers: ["observe"], session }), () =>
      Effect.sync(() => acted({ actor, operation: "web", args: { tiers: ["observe"], session } }))
    )

/** Makes the HTTP server of the daemon. Its calls and its refusals are in the audit log. */
const httpServing = Effect.fnUntraced(function* (start: HttpStart | undefined, tokenFile: string) {
  const client = yield* DaemonHandlers.recorded
  const feed = yield* Feed.Feed
  const audit = yield* AuditLog.AuditLog
  const grants = yield* GrantStore.GrantStore
  const codes = yield* PageCodes.PageCodes
  const tracing = yield* Traces.Traces
  const tracedBy = (otlp: string | undefined) =>
    otlp === undefined
      ? Effect.succeed(client)
      : Effect.mapError(
          Effect.fromResult(tracing.client(otlp, client)),
          (problem) =>
            new Errors.Usage({ problem: `--trace-otlp ${problem}`, near: [], remedies: [Hint.help("serve")] })
        )
  const report = yield* Refusals.make((refusal) => Effect.sync(() => audit.refused(refusal)))
  const provided: HttpServing.Start | undefined =
    start === undefined
      ? undefined
      : (request) =>
          start(request).pipe(
            Effect.provideServiceEffect(Client.Client, tracedBy(request.otlp)),
            Effect.provideService(Feed.Feed, feed),
            Effect.provideService(Grants, grants),
            Effect.provideService(PageTokens, codes.exchange),
            Effect.provideService(PageLink, linking(codes, audit)),
            Effect.provideService(Refusals.Refusals, report)
          )
  return yield* HttpServing.make(provided, tokenFile)
})

/** Completes some time after the first session of a daemon was added. A session that begins is not live yet. */
const firstSession = ({ onChange }: Manager.Manager["Service"]) =>
  Effect.callback<void>((resume) => Effect.sync(onChange(() => resume(Effect.void)))).pipe(
    Effect.andThen(Effect.sleep(SESSION_STARTS))
  )

const serve = Effect.fnUntraced(function* <E>(options: Options<E>) {
  const place = yield* RuntimeDirectory
  const started = yield* Clock.currentTimeMillis
  const grace = options.exitWithin ?? FORCED_EXIT
  // Made before all that ends with the scope, so that it bounds the end of all of it.
  const exitInTime = yield* forcedExit(place.sessions, grace)
  yield* holder(place.holder, started)
  yield* emptyStreams(place.streams)
  // Handled from the start, so that a signal during the cleanup does not interrupt it.
  const signal = yield* Effect.forkScoped(Signals.shutdown(exitInTime), { startImmediately: true })
  const sessions = yield* Layer.build(
    Layer.mergeAll(
      options.sessions,
      Connections.Connections.layer,
      PageCodes.layer.pipe(
        Layer.provideMerge(
          Layer.merge(AuditLog.layer(options.audit), GrantStore.layer.pipe(Layer.provide(FileReader.layer)))
        )
      ),
      SlowCalls.layer,
      Traces.layer(Version.product)
    )
  )
  const manager = Context.get(sessions, Manager.Manager)
  const clients = Context.get(sessions, Connections.Connections)
  const stopped = yield* Deferred.make<Outcome>()
  const serving = yield* Scope.fork(yield* Effect.scope)
  const http = yield* httpServing(options.http, join(place.directory, "http.token")).pipe(
    Scope.provide(serving),
    Effect.provideContext(sessions)
  )
  const identity = {
    socket: place.socket,
    log: place.log,
    started,
    stop: Effect.asVoid(Deferred.succeed(stopped, "served")),
    exec: options.exec
  }
  const listening = yield* Scope.fork(yield* Effect.scope)
  const published = yield* Scope.fork(yield* Effect.scope)
  // `RuntimePath` leaves room for this suffix in the length of the path.
  const bound = `${place.socket}.${process.pid.toString(36)}`
  rmSync(bound, { force: true })
  yield* withPrivateMask(Layer.buildWithScope(server(bound), listening)).pipe(
    Effect.provideService(DaemonHandlers.Identity, identity),
    Effect.provideService(HttpServing.HttpServing, http),
    Effect.provideContext(sessions)
  )
  yield* Scope.provide(publish(bound, place.socket), published)
  yield* Effect.logInfo(`listening on ${place.socket}, version ${Version.product}`)
  yield* options.onListening ?? Effect.void
  const facts = { pid: process.pid, version: Version.product, started_at: started }
  const { sessions: records, supervisor } = place
  yield* firstSession(manager).pipe(
    Effect.andThen(
      Supervisor.run(options.supervisor, { ...facts, supervisor, sessions: records, grace }, options.beat)
    ),
    Effect.forkScoped
  )

  const outcome = yield* Deferred.await(stopped).pipe(
    Effect.raceFirst(Effect.map(Fiber.join(signal), (reason): Outcome => (reason === "broken" ? "broken" : "served"))),
    Effect.raceFirst(
      idleTimeout(options.idle ?? "30 minutes", http.isServing).pipe(
        Effect.provideContext(sessions),
        Effect.as<Outcome>("served")
      )
    )
  )
  exitInTime()
  yield* Effect.logInfo(`shutting down (${outcome})`)
  // New clients find no socket; connected ones get the end of their sessions and their answers.
  yield* Scope.close(published, Exit.void)
  yield* Effect.timeoutOption(Scope.close(serving, Exit.void), HTTP_ENDS)
  // The end of a session cannot be interrupted, so it is awaited from another fiber.
  const ending = yield* Effect.forkDetach(
    // After a failure of the daemon itself the next one can recover the sessions.
    outcome === "broken" ? Effect.andThen(manager.keepRecords, manager.endAll) : manager.endAll
  )
  const ended = yield* Effect.timeoutOption(Fiber.await(ending), SESSIONS_END)
  if (ended._tag === "None") yield* Effect.logWarning("some sessions did not end in time")
  yield* Effect.timeoutOption(clients.idle(0), CLIENTS_LEAVE)
  yield* Scope.close(listening, Exit.void)
  return outcome
})

/** Runs the daemon until it is stopped; returns "taken" at once if another one holds the lock. */
export const run = <E>(options: Options<E>) =>
  Effect.gen(function* () {
    const place = yield* RuntimeDirectory
    return yield* Effect.gen(function* () {
      if (!(yield* Lock.acquire(place.lock))) return "taken"
      return yield* serve(options)
    }).pipe(
      Effect.scoped,
      Effect.provideService(Limits.Limits, { ...Limits.standard, ...options.limits }),
      Effect.provide(LogFile.layer(place.log, options.log))
    )
  }).pipe(
    Effect.map((outcome): Outcome => outcome),
    Effect.withSpan("Daemon.run")
  )
