/**
 * The sessions of MCP over HTTP that were used, each with the time of its last request. One that was unused for 30 minutes
 * ends: its id is unknown afterwards, and its client begins a new session. A call that is under way counts as use.
 *
 * Fibers: one looks at all sessions every minute (ends with the scope).
 */
import { Effect } from "effect"
import { MonotonicTime } from "@sigtrap/protocol"

/** Time without a request after which a session ends, in milliseconds. */
const idleLimit = 30 * 60_000

/** Time between two looks at the sessions. */
const interval = "1 minute"

/** An open session: its protocol revision, calls under way and, as `MonotonicTime`, its last use. */
interface Open {
  readonly version: string | undefined
  readonly calls: number
  readonly used: number
}

/** The open sessions of one server. */
interface IdleSessions {
  /** Counts a call as use of its session, from its start to its end. `version` is the protocol revision of the call. */
  readonly during: <A, E, R>(
    id: string,
    version: string | undefined,
    call: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** Forgets a session that its client ended. */
  readonly closed: (id: string) => void
}

/** Makes an empty list. `end` frees what the protocol's library keeps of a session. */
export const make = Effect.fnUntraced(function* (
  end: (id: string, version: string | undefined) => Effect.Effect<unknown, unknown>
) {
  const open = new Map<string, Open>()

  const touch = (id: string, version: string | undefined, calls: number) =>
    Effect.map(MonotonicTime.now, (used) => {
      const before = open.get(id)
      // The client may have ended the session by this call.
      if (before !== undefined || calls > 0) open.set(id, { version, calls: (before?.calls ?? 0) + calls, used })
    })

  const sweep = Effect.gen(function* () {
    const now = yield* MonotonicTime.now
    for (const [id, { calls, used, version }] of open) {
      if (calls > 0 || now - used < idleLimit) continue
      open.delete(id)
      yield* Effect.ignoreCause(end(id, version))
    }
  })
  yield* Effect.forkScoped(Effect.forever(Effect.delay(sweep, interval)))

  const sessions: IdleSessions = {
    during: (id, version, call) =>
      Effect.acquireUseRelease(
        touch(id, version, 1),
        () => call,
        () => touch(id, version, -1)
      ),
    closed: (id) => void open.delete(id)
  }
  return sessions
})
