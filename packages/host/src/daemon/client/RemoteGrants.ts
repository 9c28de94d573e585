/**
 * The granted tokens of the daemon, for a server in another process: the daemon checks each token.
 *
 * For each grant that was used one request waits in the daemon for its end. If the connection to the daemon breaks, these grants
 * count as ended, so that no stream outlives what it depends on.
 * Fibers: one for each such grant (ends with the grant, or with the scope).
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Grants from "../../http/Grants.ts"

/** The requests to the daemon, see `Protocol`. */
interface Remote {
  readonly "grant.verify": (payload: {
    readonly token: string
  }) => Effect.Effect<{ readonly credential?: Grants.Credential }, unknown>
  readonly "grant.ended": (payload: { readonly id: string }) => Effect.Effect<void, unknown>
}

/** Makes the service. `connected` returns the daemon's RPC client. */
export const make = Effect.fnUntraced(function* <E>(connected: Effect.Effect<{ readonly remote: Remote }, E>) {
  const scope = yield* Effect.scope
  const used = new Map<string, Deferred.Deferred<void>>()

  const watch = (id: string, ended: Deferred.Deferred<void>) =>
    Effect.flatMap(connected, ({ remote }) => remote["grant.ended"]({ id })).pipe(
      Effect.exit,
      Effect.andThen(() => {
        used.delete(id)
        return Deferred.succeed(ended, undefined)
      })
    )

  const grants: Grants.Service = {
    verify: (token) =>
      Effect.flatMap(connected, ({ remote }) => remote["grant.verify"]({ token })).pipe(
        Effect.map(({ credential }) => credential),
        // Without the daemon no token can be checked, and none is accepted.
        Effect.catchCause(() => Effect.undefined)
      ),
    ended: (id) =>
      Effect.suspend(() => {
        const known = used.get(id)
        if (known !== undefined) return Deferred.await(known)
        const ended = Deferred.makeUnsafe<void>()
        used.set(id, ended)
        return Effect.andThen(Effect.forkIn(watch(id, ended), scope), Deferred.await(ended))
      })
  }
  return grants
})
