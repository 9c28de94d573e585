/**
 * Notifies clients when the resources of a session change.
 *
 * Sessions are followed only after the first subscription: following a session counts as using it, and the idle timeout of
 * a session must still end it. Fibers in the scope of the server: (1) one waits for the first subscription; (2) one
 * follows each session and ends with it.
 */
import { Effect, Latch, Option, Predicate, type Scope } from "effect"
import type { McpServer } from "effect/ai"
import { type Client, Follow, Operations, Payload, Session } from "@sigtrap/protocol"
import * as ResourceUri from "./ResourceUri.ts"
import * as LiveSessions from "../calls/LiveSessions.ts"

/** The subscriptions of one server. */
export interface Subscriptions {
  /** Notes the session of an answer; follows it after the first subscription. */
  readonly onSession: (session: string | undefined) => Effect.Effect<void>
}

/** Makes the latch that the first subscription opens. */
export const latch = (): Latch.Latch => Latch.makeUnsafe(false)

/** Makes the subscriptions of one server. */
export const make = Effect.fnUntraced(function* (
  server: McpServer.McpServer["Service"],
  client: Client.Client["Service"],
  caller: Payload.Caller,
  subscribed: Latch.Latch
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
      (uri) => server.notifications["notifications/resources/updated"]({ uri }),
      { discard: true }
    )

  const follow = Effect.fnUntraced(function* (session: string) {
    if (events === undefined) return
    let input: Option.Option<Follow.Input> = Option.some({ session, follow: true, since: 0, limit: 1000 })
    let first = true
    while (Option.isSome(input)) {
      const request: Follow.Input = input.value
      const payload = yield* Payload.decode(events, Payload.fill(events, { timeout: "0", ...request }, caller))
      const answer = yield* client.callAny(events, payload)
      // The first page is from before the subscription.
      if (!first && !Follow.isEmpty(answer)) yield* notify(session)
      first = false
      const cursor = Predicate.isReadonlyObject(answer.data) ? answer.data["next"] : undefined
      if (!Session.isLive(answer.state) && cursor === request["since"]) break
      input = Follow.next(request, answer)
    }
  })

  const start = (session: string) =>
    Effect.suspend(() => {
      if (followed.has(session)) return Effect.void
      followed.add(session)
      return follow(session).pipe(
        Effect.ignore,
        Effect.ensuring(
          Effect.sync(() => {
            followed.delete(session)
          })
        ),
        Effect.forkIn(scope),
        Effect.asVoid
      )
    })

  const startAll = Effect.gen(function* () {
    yield* subscribed.await
    const live = Option.getOrElse(yield* LiveSessions.names(client), () => [])
    for (const session of new Set([...known, ...live])) yield* start(session)
  })
  yield* Effect.forkIn(startAll, scope)

  return {
    onSession: (session) =>
      Effect.suspend(() => {
        if (session === undefined) return Effect.void
        known.add(session)
        return subscribed.isOpen() ? start(session) : Effect.void
      })
  }
})
