/**
 * The daemon: one process a user that holds the sessions, and the socket on which it is asked.
 *
 * Order matters. The lock comes first and decides who is the daemon; only its holder sweeps what a killed daemon left,
 * binds a socket under a name of its own, and publishes it by renaming. A daemon removes a published socket only while
 * that is still its own. Fibers: the one that waits for a signal and the server (both end with the scope), one a
 * connection (ends with it), and the one that runs this program: it waits for a request to stop, a signal, or nobody
 * being there any more.
 */
import { Manager } from "@sigtrap/manager"
import type { Client } from "@sigtrap/protocol"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
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
import { lstatSync, renameSync, rmSync } from "node:fs"
import * as Connections from "./Connections.ts"
import * as DaemonHandlers from "./Handlers.ts"
import * as DaemonProtocol from "./Protocol.ts"
import * as Lock from "./Lock.ts"
import * as LogFile from "./LogFile.ts"
import { RuntimeDirectory } from "../runtime/RuntimeDirectory.ts"
import * as Signals from "./Signals.ts"
import * as Version from "./Version.ts"

/** How long sessions may take to end before the daemon goes all the same. */
const ENDING = "6 seconds"

/** How long clients may take to read their last answer. */
const PARTING = "500 millis"

/** What a daemon is made of. */
export interface Options<E> {
  /** The sessions, built only by the daemon that holds the lock. */
  readonly sessions: Layer.Layer<Client.Client | Manager.Manager, E, RuntimeDirectory>
  /** Runs a command line. */
  readonly exec: DaemonHandlers.Exec
  /** Runs once clients can connect. */
  readonly onListening?: Effect.Effect<void> | undefined
  /** How long to stay without session and client; 30 minutes when left out. */
  readonly idle?: Duration.Input | undefined
  /** What is logged, and how much of it is kept. */
  readonly log?: LogFile.Options | undefined
}

/** How a daemon's program ended: it served, another was there already, or it broke. */
export type Outcome = "served" | "taken" | "broken"

const server = (path: string) =>
  RpcServer.layer(DaemonHandlers.group, { disableTracing: true, disableFatalDefects: true }).pipe(
    Layer.provide(DaemonHandlers.layer),
    Layer.provide(RpcServer.layerProtocolSocketServer),
    Layer.provide(Connections.counted(NodeSocketServer.layer({ path }))),
    Layer.provide(DaemonProtocol.serialization)
  )

/** Runs an effect with a umask that gives new sockets mode 0600. Programs that are started later do not inherit it. */
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

/** Gives the socket its well-known name, and takes that away while it is still ours. */
const publish = (bound: string, socket: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const ours = inode(bound)
      renameSync(bound, socket)
      return ours
    }),
    (ours) =>
      Effect.sync(() => {
        if (ours !== undefined && inode(socket) === ours) rmSync(socket, { force: true })
      })
  )

/** Completes when nobody has been connected for that long and no session is alive. */
const idleness = Effect.fnUntraced(function* (time: Duration.Input) {
  const clients = yield* Connections.Connections
  const manager = yield* Manager.Manager
  while (true) {
    yield* clients.absent(time)
    if ((yield* manager.live) === 0 && (yield* clients.count) === 0) return
  }
})

const serve = Effect.fnUntraced(function* <E>(options: Options<E>) {
  const place = yield* RuntimeDirectory
  // From the start: a signal during the sweep must not leave it half done.
  const signal = yield* Effect.forkScoped(Signals.ending, { startImmediately: true })
  const sessions = yield* Layer.build(Layer.merge(options.sessions, Connections.Connections.layer))
  const manager = Context.get(sessions, Manager.Manager)
  const clients = Context.get(sessions, Connections.Connections)
  const stopped = yield* Deferred.make<Outcome>()
  const identity = {
    socket: place.socket,
    log: place.log,
    started: yield* Clock.currentTimeMillis,
    stop: Effect.asVoid(Deferred.succeed(stopped, "served")),
    exec: options.exec
  }
  const listening = yield* Scope.fork(yield* Effect.scope)
  const published = yield* Scope.fork(yield* Effect.scope)
  // Short enough for the room that `RuntimePath` leaves.
  const bound = `${place.socket}.${process.pid.toString(36)}`
  rmSync(bound, { force: true })
  yield* withPrivateMask(Layer.buildWithScope(server(bound), listening)).pipe(
    Effect.provideService(DaemonHandlers.Identity, identity),
    Effect.provideContext(sessions)
  )
  yield* Scope.provide(publish(bound, place.socket), published)
  yield* Effect.logInfo(`listening on ${place.socket}, version ${Version.product}`)
  yield* options.onListening ?? Effect.void

  const outcome = yield* Deferred.await(stopped).pipe(
    Effect.raceFirst(Effect.map(Fiber.join(signal), (how): Outcome => (how === "broken" ? "broken" : "served"))),
    Effect.raceFirst(
      idleness(options.idle ?? "30 minutes").pipe(Effect.provideContext(sessions), Effect.as<Outcome>("served"))
    )
  )
  yield* Effect.logInfo(`ending (${outcome})`)
  // New clients find no socket; those that wait see their sessions end and read their answers.
  yield* Scope.close(published, Exit.void)
  const ended = yield* Effect.timeoutOption(manager.endAll, ENDING)
  if (ended._tag === "None") yield* Effect.logWarning("some sessions did not end in time")
  yield* Effect.timeoutOption(clients.absent(0), PARTING)
  yield* Scope.close(listening, Exit.void)
  return outcome
})

/** Runs the daemon until it is asked to stop; at once "taken" when another one holds the lock. */
export const run = <E>(options: Options<E>) =>
  Effect.gen(function* () {
    const place = yield* RuntimeDirectory
    return yield* Effect.gen(function* () {
      if (!(yield* Lock.acquire(place.lock))) return "taken"
      return yield* serve(options)
    }).pipe(Effect.scoped, Effect.provide(LogFile.layer(place.log, options.log)))
  }).pipe(Effect.map((outcome): Outcome => outcome))
