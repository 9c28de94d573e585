/**
 * The actors that called on each lasting connection, so that an actor's control leases end with its last one.
 *
 * A server calls for several actors on one connection. The connection of a command line does not last: its actor is
 * known by its terminal or program, and calls again on another one.
 */
import { Manager } from "@sigtrap/manager"
import { Caller } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Most actors that are remembered of one connection; the first one is forgotten. */
const mostActors = 256

/** The actors of all lasting connections. A connection has the number of its RPC client. */
export class ActorConnections extends Context.Service<
  ActorConnections,
  {
    /** Notes that an actor calls on a connection. */
    readonly called: (connection: number, actor: Caller.Actor) => void
    /** Forgets a connection: ends its questions, and the control leases of the actors that have no other. */
    readonly closed: (connection: number) => Effect.Effect<void>
  }
>()("@sigtrap/host/ActorConnections") {
  static readonly layer = Layer.effect(
    ActorConnections,
    Effect.map(Manager.Manager, (manager) => {
      const open = new Map<number, Set<string>>()
      return ActorConnections.of({
        called: (connection, actor) => {
          const actors = open.get(connection) ?? new Set<string>()
          open.set(connection, actors.add(Caller.id(actor)))
          const [first] = actors
          if (actors.size > mostActors && first !== undefined) actors.delete(first)
        },
        closed: (connection) =>
          Effect.suspend(() => {
            const actors = [...(open.get(connection) ?? [])]
            open.delete(connection)
            const gone = actors.filter((actor) => ![...open.values()].some((others) => others.has(actor)))
            return Effect.andThen(
              manager.left(String(connection)),
              Effect.forEach(gone, manager.disconnected, { discard: true })
            )
          })
      })
    })
  )
}
