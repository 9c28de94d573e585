/**
 * The sessions of MCP over HTTP with protocol revisions before 2026-07-28: their use, their subscriptions and their streams.
 *
 * A session that had no request for 30 minutes and has no open stream ends: its id is unknown afterwards, and its client
 * begins a new one. At most 256 sessions are kept; for a new one the session that is unused for longest ends. The end of a
 * session of MCP ends no session of the debugger.
 *
 * A session has one stream at a time (HTTP GET, Server-Sent Events). Without a stream only the addresses of changed resources
 * are kept, each once and only while the client subscribes to it.
 *
 * Fibers: one ends unused sessions every minute (until the scope closes).
 */
import { Deferred, Effect, Latch, type Scope, Stream } from "effect"
import { MonotonicTime } from "@sigtrap/protocol"
import { SubscriptionLimit } from "./SubscriptionLimit.ts"

/** Time without a request after which a session ends, in milliseconds. */
const idleLimit = 30 * 60_000

/** Most sessions at the same time, as many as connections. */
const mostSessions = 256

/** Time between two searches for unused sessions. */
const interval = "1 minute"

/** Time between two comments on a stream; both ends notice a lost connection through them. */
const keepAlive = "15 seconds"

/** An open session. */
interface Open {
  readonly id: string
  /** The token that opened it: the id of a grant, or empty for the server's own. */
  readonly credential: string
  /** Its protocol revision. */
  version: string | undefined
  /** Requests under way, among them the stream. */
  requests: number
  /** Its last use, as `MonotonicTime`. */
  used: number
  hasStream: boolean
  readonly subscriptions: SubscriptionLimit
  /** The changed resources that no stream has taken yet. */
  readonly pending: Set<string>
  /** Open while there are such resources. */
  readonly changed: Latch.Latch
  readonly ended: Deferred.Deferred<void>
}

/** The open sessions of one server. */
export interface HttpSessions {
  /** Adds a session that began with a token: the id of a grant, or empty for the server's own. */
  readonly began: (id: string, version: string | undefined, credential?: string) => Effect.Effect<void>
  /** True for a session that another token opened. */
  readonly isForeign: (id: string, credential: string) => boolean
  /** Counts a request as use of its session until the scope closes. `version` is the protocol revision of the request. */
  readonly use: (id: string, version: string | undefined) => Effect.Effect<void, never, Scope.Scope>
  /** Removes a session that its client ended, with its subscriptions; its stream ends. */
  readonly closed: (id: string) => Effect.Effect<void>
  /** Notes a message that subscribes or unsubscribes; returns why it is refused, if it is. */
  readonly subscribe: (id: string, message: unknown) => string | undefined
  /** Opens the stream of a session until the scope closes; undefined if the session is unknown or has a stream already. */
  readonly stream: (id: string) => Effect.Effect<Stream.Stream<Uint8Array> | undefined, never, Scope.Scope>
  /** Tells the sessions that subscribe to a resource that it changed. */
  readonly updated: (uri: string) => Effect.Effect<void>
}

const encoder = new TextEncoder()

const eventOf = (uri: string) =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } })}\n\n`

/** Returns the events of a session, with comments in between. */
const eventsOf = ({ changed, ended, pending }: Open): Stream.Stream<Uint8Array> => {
  const next = Effect.map(changed.await, () => {
    const text = [...pending].map(eventOf).join("")
    pending.clear()
    changed.closeUnsafe()
    return text
  })
  return Stream.fromEffectRepeat(next).pipe(
    Stream.filter((text) => text !== ""),
    Stream.merge(Stream.map(Stream.tick(keepAlive), () => ": keepalive\n\n")),
    Stream.map((text) => encoder.encode(text)),
    Stream.interruptWhen(Deferred.await(ended))
  )
}

/** Makes an empty list. `end` frees what the library of MCP keeps of a session. */
export const make = Effect.fnUntraced(function* (
  end: (id: string, version: string | undefined) => Effect.Effect<unknown, unknown>,
  most = mostSessions
) {
  const open = new Map<string, Open>()

  const remove = (session: Open) =>
    Effect.suspend(() => {
      open.delete(session.id)
      return Deferred.succeed(session.ended, undefined)
    })

  const expire = (session: Open) =>
    Effect.andThen(remove(session), Effect.ignoreCause(end(session.id, session.version)))

  const touch = (session: Open, requests: number) =>
    Effect.map(MonotonicTime.now, (now) => {
      session.used = now
      session.requests += requests
    })

  const sweep = Effect.gen(function* () {
    const now = yield* MonotonicTime.now
    const idle = [...open.values()].filter(({ requests, used }) => requests === 0 && now - used >= idleLimit)
    yield* Effect.forEach(idle, expire, { discard: true })
  })
  yield* Effect.forkScoped(Effect.forever(Effect.delay(sweep, interval)))

  const sessions: HttpSessions = {
    began: Effect.fnUntraced(function* (id, version, credential = "") {
      const unused = [...open.values()].filter(({ requests }) => requests === 0).toSorted((a, b) => a.used - b.used)
      yield* Effect.forEach(unused.slice(0, Math.max(0, open.size + 1 - most)), expire, { discard: true })
      open.set(id, {
        id,
        credential,
        version,
        requests: 0,
        used: yield* MonotonicTime.now,
        hasStream: false,
        subscriptions: new SubscriptionLimit(),
        pending: new Set(),
        changed: Latch.makeUnsafe(false),
        ended: Deferred.makeUnsafe<void>()
      })
    }),
    isForeign: (id, credential) => {
      const session = open.get(id)
      return session !== undefined && session.credential !== credential
    },
    use: (id, version) =>
      Effect.suspend(() => {
        const session = open.get(id)
        if (session === undefined) return Effect.void
        session.version = version ?? session.version
        return Effect.acquireRelease(touch(session, 1), () => touch(session, -1))
      }),
    closed: (id) =>
      Effect.suspend(() => {
        const session = open.get(id)
        return session === undefined ? Effect.void : remove(session)
      }),
    subscribe: (id, message) => {
      const session = open.get(id)
      if (session === undefined) return "the session has ended"
      const problem = session.subscriptions.note(message)
      for (const uri of session.pending) if (!session.subscriptions.has(uri)) session.pending.delete(uri)
      return problem
    },
    stream: (id) =>
      Effect.suspend(() => {
        const session = open.get(id)
        if (session === undefined || session.hasStream) return Effect.succeed(undefined)
        return Effect.as(
          Effect.acquireRelease(
            Effect.sync(() => void (session.hasStream = true)),
            () => Effect.sync(() => void (session.hasStream = false))
          ),
          eventsOf(session)
        )
      }),
    updated: (uri) =>
      Effect.sync(() => {
        for (const session of open.values()) {
          if (!session.subscriptions.has(uri)) continue
          session.pending.add(uri)
          session.changed.openUnsafe()
        }
      })
  }
  return sessions
})
