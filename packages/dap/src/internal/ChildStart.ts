/**
 * Starts a child session for each `startDebugging` request of the adapter, and removes it when it ends.
 *
 * Fibers: one for each child, which starts it and waits for its end; it ends with the child's connection or the scope.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Capabilities from "../Capabilities.ts"
import type * as Client from "../Client.ts"
import * as Errors from "../Errors.ts"
import type * as Message from "../Message.ts"
import * as Requests from "../Requests.ts"
import type { ChildEvents } from "./ChildEvents.ts"
import { bodyOf, type ChildTables, rootNumber, type Session, startTimeout } from "./ChildTables.ts"
import { maxSessions } from "./SessionNumbers.ts"
import { sendList } from "./ChildRequests.ts"

/** How long a child may take to answer `disconnect`. */
const disconnectTimeout = "3 seconds"

/** Dependencies of the start. */
export interface Options {
  readonly tables: ChildTables
  readonly events: ChildEvents
  /** The parent of the children's scopes. */
  readonly scope: Scope.Scope
  readonly fork: (effect: Effect.Effect<unknown>) => unknown
  /** Connects a client for the session with this number. */
  readonly connect: (number: number) => Effect.Effect<Client.Client, Errors.TransportError, Scope.Scope>
  /** Returns the arguments of the first session's `initialize`. */
  readonly initializeArguments: () => unknown
}

/** The child sessions of one connection. */
export interface ChildStart {
  /** Answers a `startDebugging` request: connects, then starts the child in a fiber. */
  readonly start: (request: Message.Request) => Effect.Effect<undefined, Errors.ReverseRefused>
  /** Ends a child that has sent `terminated`; the adapter may keep its connection open. */
  readonly terminated: (number: number) => void
  /** Waits until a child was started. */
  readonly started: Effect.Effect<void>
}

/** Creates the starter of a connection's children. */
export const make = (options: Options): ChildStart => {
  const { connect, events, fork, initializeArguments, scope, tables } = options
  const terminations = new Map<number, Deferred.Deferred<void>>()
  const started = Deferred.makeUnsafe<void>()
  let last = rootNumber

  /** Sends a child its configuration: initialize, launch or attach, all breakpoint lists, configurationDone. */
  const configure = Effect.fnUntraced(function* (session: Session, request: Message.Request) {
    const { client } = session
    const args = bodyOf(request.arguments)
    yield* client.request(Requests.raw("initialize"), initializeArguments())
    const command = args["request"] === "attach" ? "attach" : "launch"
    const launched = yield* Effect.forkChild(
      client.request(Requests.raw(command), args["configuration"], { timeout: startTimeout }),
      { startImmediately: true }
    )
    yield* Effect.raceFirst(client.initialized, Effect.andThen(Fiber.join(launched), Effect.never))
    yield* tables.listLock.withPermit(
      Effect.suspend(() => {
        tables.children.set(session.number, session)
        const lists = tables.lists.all()
        return Effect.forEach(lists, (list) => Effect.ignore(sendList(tables, session, list)), { discard: true })
      })
    )
    if (Capabilities.supports(client.capabilities(), "supportsConfigurationDoneRequest")) {
      yield* client.request(Requests.raw("configurationDone"), {})
    }
    yield* Fiber.join(launched)
    Deferred.doneUnsafe(started, Exit.void)
  })

  /** Sends `disconnect` to a child. An adapter may wait for it before it ends the first session too. */
  const disconnect = ({ client }: Session) =>
    Effect.ignore(client.request(Requests.Disconnect, { terminateDebuggee: true }, { timeout: disconnectTimeout }))

  const remove = ({ number }: Session) => {
    terminations.delete(number)
    tables.children.delete(number)
    tables.lists.remove(number)
    if (!tables.stops.remove(number)) return
    events.emit("continued", {})
    events.showNext()
  }

  /** Configures a child, waits for its end and removes it. */
  const run = (session: Session, request: Message.Request, own: Scope.Closeable) => {
    const terminated = Deferred.makeUnsafe<void>()
    terminations.set(session.number, terminated)
    const ended = Effect.raceFirst(
      session.client.closed,
      Effect.andThen(Deferred.await(terminated), disconnect(session))
    )
    return configure(session, request).pipe(
      Effect.timeout(startTimeout),
      Effect.andThen(Effect.never),
      Effect.catch(({ message }) =>
        Effect.sync(() =>
          events.emit("output", { category: "important", output: `a child session cannot start: ${message}\n` })
        )
      ),
      Effect.raceFirst(ended),
      Effect.ensuring(
        Effect.suspend(() => {
          remove(session)
          return Scope.close(own, Exit.void)
        })
      )
    )
  }

  const start = Effect.fnUntraced(function* (request: Message.Request) {
    const number = ++last
    if (number >= maxSessions) return yield* new Errors.ReverseRefused({ text: "too many child sessions" })
    const own = yield* Scope.fork(scope)
    const client = yield* connect(number).pipe(
      Effect.provideService(Scope.Scope, own),
      Effect.mapError(({ message }) => new Errors.ReverseRefused({ text: `no connection for a child: ${message}` })),
      Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
    )
    fork(run({ number, client }, request, own))
    return undefined
  })

  const terminated = (number: number) => {
    const deferred = terminations.get(number)
    if (deferred !== undefined) Deferred.doneUnsafe(deferred, Exit.void)
  }

  return { start, terminated, started: Deferred.await(started) }
}
