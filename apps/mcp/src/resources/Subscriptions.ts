/**
 * News of sessions for clients that subscribed to their resources.
 *
 * Nothing is followed until somebody subscribes, because to follow a session is to use it, and a session that nobody uses
 * ends. Fibers, in the scope of the server: one that waits for the first subscription, and one for each followed session,
 * which ends with it.
 */
import { Effect, Latch, Option, Predicate, type Scope } from "effect"
import type { McpServer } from "effect/ai"
import { type Client, Follow, Operations, Payload, Session } from "@sigtrap/protocol"
import * as ResourceUri from "./ResourceUri.ts"
import * as LiveSessions from "../calls/LiveSessions.ts"

/** The following of one server. */
export interface Following {
  /** A session was seen in an answer. */
  readonly seen: (session: string | undefined) => Effect.Effect<void>
}

/** What somebody opens who subscribes; sessions are followed from then on. */
export const latch = (): Latch.Latch => Latch.makeUnsafe(false)

/** The following of one server; its fibers live in the scope. */
export const make = Effect.fnUntraced(function* (
  server: McpServer.McpServer["Service"],
  client: Client.Client["Service"],
  caller: Payload.Caller,
  news: Latch.Latch
): Effect.fn.Return<Following, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const followed = new Set<string>()
  const known = new Set<string>()
  const events = Operations.find("events")

  const tell = (session: string) =>
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
      const asked: Follow.Input = input.value
      const payload = yield* Payload.decode(events, Payload.fill(events, { timeout: "0", ...asked }, caller))
      const answer = yield* client.callAny(events, payload)
      // What was there before somebody subscribed is no news.
      if (!first && !Follow.isEmpty(answer)) yield* tell(session)
      first = false
      const cursor = Predicate.isReadonlyObject(answer.data) ? answer.data["next"] : undefined
      if (!Session.isLive(answer.state) && cursor === asked["since"]) break
      input = Follow.next(asked, answer)
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

  const begin = Effect.gen(function* () {
    yield* news.await
    const live = Option.getOrElse(yield* LiveSessions.names(client), () => [])
    for (const session of new Set([...known, ...live])) yield* start(session)
  })
  yield* Effect.forkIn(begin, scope)

  return {
    seen: (session) =>
      Effect.suspend(() => {
        if (session === undefined) return Effect.void
        known.add(session)
        return news.isOpen() ? start(session) : Effect.void
      })
  }
})
