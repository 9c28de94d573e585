/**
 * Notifies clients when the resources of a session change.
 *
 * Sessions are followed only after the first subscription: following a session counts as using it, and the idle timeout of
 * a session must still end it. The cursor of a session is read before the subscription is answered, so that each later event
 * is notified. Fibers in the scope of the server: (1) one waits for the first subscription; (2) one follows each session
 * and ends with it.
 */
import { Deferred, Effect, Latch, Option, Predicate, type Scope } from "effect"
import type { McpServer } from "effect/ai"
import { type Answer, type Client, Follow, type Operation, Operations, Payload, Session } from "@sigtrap/protocol"
import * as ResourceUri from "./ResourceUri.ts"
import * as LiveSessions from "../calls/LiveSessions.ts"

/** The subscriptions of one server. */
export interface Subscriptions {
  /** Notes the session of an answer; follows it after the first subscription. */
  readonly onSession: (session: string | undefined) => Effect.Effect<void>
}

/** The first subscription of a server. */
export interface FirstSubscription {
  /** Starts to follow the sessions; returns when their cursors are known, at the latest after 2 seconds. */
  readonly begin: Effect.Effect<void>
  /** Called for each changed resource, besides the notification of the library. */
  readonly updated: (uri: string) => Effect.Effect<void>
  readonly latch: Latch.Latch
  readonly followed: Deferred.Deferred<void>
}

/** The longest time that a subscription waits for the cursors. */
const cursorLimit = "2 seconds"

/** Makes the first subscription of a server, which has not begun. */
export const first = (updated: FirstSubscription["updated"] = () => Effect.void): FirstSubscription => {
  const latch = Latch.makeUnsafe(false)
  const followed = Deferred.makeUnsafe<void>()
  const begin = latch.open.pipe(
    Effect.andThen(Deferred.await(followed)),
    Effect.timeoutOption(cursorLimit),
    Effect.asVoid
  )
  return { begin, updated, latch, followed }
}

/** Makes the subscriptions of one server. */
export const make = Effect.fnUntraced(function* (
  server: McpServer.McpServer["Service"],
  client: Client.Client["Service"],
  caller: Payload.Caller,
  subscribed: FirstSubscription
): Effect.fn.Return<Subscriptions, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const followed = new Set<string>()
  const known = new Set<string>()
  const events = Operations.find("events")

  const notify = (session: string) =>
    Effect.forEach(
      [
        ResourceUri.sessions,
        ResourceUri.session(session),
        ResourceUri.transcript(session),
        ResourceUri.output(session)
      ],
      (uri) =>
        Effect.andThen(subscribed.updated(uri), server.notifications["notifications/resources/updated"]({ uri })),
      { discard: true }
    )

  const read = Effect.fnUntraced(function* (operation: Operation.Any, request: Follow.Input) {
    const payload = yield* Payload.decode(operation, Payload.fill(operation, { timeout: "0", ...request }, caller))
    return yield* client.callAny(operation, payload)
  })

  /** Follows a session from the answer of `events` that has its newest event. */
  const follow = Effect.fnUntraced(function* (
    operation: Operation.Any,
    newest: Answer.Answer<unknown>,
    session: string
  ) {
    let input = Follow.next({ session, follow: true, limit: 1000 }, newest)
    while (Option.isSome(input)) {
      const request: Follow.Input = input.value
      const answer: Answer.Answer<unknown> = yield* read(operation, request)
      if (!Follow.isEmpty(answer)) yield* notify(session)
      const cursor = Predicate.isReadonlyObject(answer.data) ? answer.data["next"] : undefined
      if (!Session.isLive(answer.state) && cursor === request["since"]) break
      input = Follow.next(request, answer)
    }
  })

  const start = (session: string) =>
    Effect.suspend(() => {
      if (events === undefined || followed.has(session)) return Effect.void
      followed.add(session)
      const ended = Effect.sync(() => void followed.delete(session))
      return read(events, { session, limit: 1 }).pipe(
        Effect.onError(() => ended),
        Effect.flatMap((newest) =>
          follow(events, newest, session).pipe(Effect.ignore, Effect.ensuring(ended), Effect.forkIn(scope))
        ),
        Effect.ignore
      )
    })

  const startAll = Effect.gen(function* () {
    yield* subscribed.latch.await
    const live = Option.getOrElse(yield* LiveSessions.names(client), () => [])
    yield* Effect.forEach(new Set([...known, ...live]), start, { concurrency: 4, discard: true })
    yield* Deferred.succeed(subscribed.followed, undefined)
  })
  yield* Effect.forkIn(startAll, scope)

  return {
    onSession: (session) =>
      Effect.suspend(() => {
        if (session === undefined) return Effect.void
        known.add(session)
        return subscribed.latch.isOpen() ? start(session) : Effect.void
      })
  }
})
