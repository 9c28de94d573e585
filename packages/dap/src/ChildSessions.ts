/**
 * One client over an adapter that debugs with child sessions (DAP `startDebugging`): the first session and every child,
 * each on a connection of its own to the same adapter, presented as one session.
 *
 * Breakpoints go to all sessions, requests about a thread, a frame or a value to the session that owns it. Numbers are
 * translated, since each session counts by itself. Stops of several sessions are shown one at a time (`internal/Stops`).
 * Launch and end belong to the first session: when it ends, all end; the end of a child concerns only that child.
 *
 * Fibers: those of every session's client, and one for each child (`internal/ChildStart`). All end with the scope.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Capabilities from "./Capabilities.ts"
import * as Client from "./Client.ts"
import * as Errors from "./Errors.ts"
import { ChildEvents } from "./internal/ChildEvents.ts"
import { ChildRequests, resume } from "./internal/ChildRequests.ts"
import * as ChildStart from "./internal/ChildStart.ts"
import { ChildTables, rootNumber } from "./internal/ChildTables.ts"
import type * as Requests from "./Requests.ts"
import type { Transport } from "./Transport.ts"

/** Options of the client; `onEvent` sees events in the numbers of the connection. */
export interface Options extends Omit<Client.Options, "onMessage" | "onResponse"> {
  /** Opens a further connection to the adapter; it belongs to the scope. */
  readonly connect: Effect.Effect<Transport, Errors.TransportError, Scope.Scope>
}

/** A client of several sessions. */
export interface ChildSessions extends Client.Client {
  /** Returns whether a thread runs while the stop of another session is shown. */
  readonly isRunning: (thread: number) => boolean
}

/** Connects a client to an adapter with child sessions, for the life of the scope. */
export const make: (options: Options) => Effect.Effect<ChildSessions, never, Scope.Scope> = Effect.fn(
  "ChildSessions.make"
)(function* (options) {
  const { connect, onEvent, onReverseRequest, transport, ...common } = options
  // Forked first, so it closes last: children are still connected while the first session is disconnected.
  const scope = yield* Effect.flatMap(Effect.scope, Scope.fork)
  const fork = yield* FiberSet.makeRuntime<never>()
  const tables = new ChildTables()
  let initializeArguments: unknown

  const clientOf = (number: number, connection: Transport): Effect.Effect<Client.Client, never, Scope.Scope> =>
    Effect.gen(function* () {
      const client: Client.Client = yield* Client.make({
        ...common,
        transport: connection,
        onEvent: (event) => events.receive({ number, client }, event),
        onReverseRequest: (request) =>
          request.command === "startDebugging"
            ? children.start(request)
            : (onReverseRequest?.(request) ??
              Effect.fail(new Errors.ReverseRefused({ text: `unknown request: ${request.command}` })))
      })
      return client
    })

  const events = new ChildEvents({
    tables,
    onEvent,
    resume: (session, body) => fork(resume(session, body)),
    onTerminated: (number) => children.terminated(number)
  })
  const children = ChildStart.make({
    tables,
    events,
    scope,
    fork,
    connect: (number) => Effect.flatMap(connect, (connection) => clientOf(number, connection)),
    initializeArguments: () => initializeArguments
  })
  const root = { number: rootNumber, client: yield* clientOf(rootNumber, transport) }
  const requests = new ChildRequests({ tables, events, root, fork, childStarted: children.started })

  const request = Effect.fn("ChildSessions.request")(function* <Args, Answer>(
    kind: Requests.Request<Args, Answer>,
    args?: Args,
    how?: Client.RequestOptions
  ) {
    const { capability, command } = kind
    if (capability !== undefined && !Capabilities.supports(root.client.capabilities(), capability)) {
      return yield* new Errors.RequestUnsupported({ command, capability })
    }
    if (command === "initialize") initializeArguments = args
    const body = kind.decode(yield* requests.send(command, args, how))
    if (Result.isSuccess(body)) return body.success
    return yield* new Errors.BodyInvalid({ command, issue: body.failure.message })
  })

  return { ...root.client, request, isRunning: (thread) => requests.isRunning(thread) }
})
