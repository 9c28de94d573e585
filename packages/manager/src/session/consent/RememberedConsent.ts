/**
 * Answers to questions that hold for longer than one call: an effect of one actor in one session, or of one client until it leaves.
 */
import { Caller, type Effects } from "@sigtrap/protocol"
import type { Session } from "../Session.ts"

/** Most clients whose answers are remembered; the one that got its first answer first is forgotten. */
const mostClients = 256

/** A client: one that a server names, or all calls of an actor on one connection. Its key is unique in the daemon. */
export interface Client {
  readonly key: string
  readonly actor: Caller.Actor
  readonly connection: string | undefined
}

/** Returns the client of a caller on a connection. */
export const clientOf = ({ actor, client, grant }: Caller.Caller, connection: string | undefined): Client => ({
  key: grant === undefined ? JSON.stringify([connection, client ?? Caller.id(actor)]) : `grant ${grant}`,
  actor,
  connection
})

/** The remembered answers of one manager. Those of a session are forgotten with it. */
export class RememberedConsent {
  readonly #ofSession = new WeakMap<Session, Map<string, Set<Effects.Name>>>()
  readonly #ofClient = new Map<
    string,
    { readonly connection: string | undefined; readonly effects: Set<Effects.Name> }
  >()

  /** Returns the effects that a client was allowed. */
  effects({ actor, key }: Client, session: Session | undefined): ReadonlySet<Effects.Name> {
    const inSession = session === undefined ? undefined : this.#ofSession.get(session)?.get(Caller.id(actor))
    return new Set([...(inSession ?? []), ...(this.#ofClient.get(key)?.effects ?? [])])
  }

  /** Allows an effect to an actor until the session ends. */
  untilSessionEnds({ actor }: Client, session: Session, effect: Effects.Name): void {
    const actors = this.#ofSession.get(session) ?? new Map<string, Set<Effects.Name>>()
    this.#ofSession.set(session, actors)
    actors.set(Caller.id(actor), (actors.get(Caller.id(actor)) ?? new Set()).add(effect))
  }

  /** Allows an effect to a client until it leaves. */
  untilClientLeaves({ connection, key }: Client, effect: Effects.Name): void {
    const known = this.#ofClient.get(key) ?? { connection, effects: new Set<Effects.Name>() }
    this.#ofClient.set(key, known)
    known.effects.add(effect)
    const [oldest] = this.#ofClient.keys()
    if (this.#ofClient.size > mostClients && oldest !== undefined) this.#ofClient.delete(oldest)
  }

  /** Forgets what the clients of a connection were allowed. */
  left(connection: string): void {
    for (const [key, known] of this.#ofClient) if (known.connection === connection) this.#ofClient.delete(key)
  }
}
