/**
 * The sessions of one manager by name, and the current session of each directory.
 */
import { Errors, Session as Model } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "./Session.ts"

/** Failures of selecting a session. */
export type SelectionFailure = Errors.NoSession | Errors.SessionNotFound | Errors.AmbiguousSession | Errors.Policy

/** Name of a session. Without a name, the current session of `directory` is selected. */
export interface SessionSelector {
  readonly session?: string
  readonly directory?: string
}

/** True if the session's debugger is alive. */
export const isLive = (session: Session): boolean => Model.isLive(session.log.snapshot.state)

/** The sessions of one manager. The name of a session whose start failed is free for callers, and taken when that has ended. */
export class SessionNames {
  readonly #sessions = new Map<string, Session>()
  /** Name of the current session, by directory. */
  readonly #current = new Map<string, string>()
  /** Sessions whose start failed and that still end, by name. */
  readonly #ending = new Map<string, Session>()
  /** The identity of the session that had a name last and was renamed, by that name. */
  readonly #former = new Map<string, string>()
  readonly #waiting = new Set<() => void>()

  /** Calls `wake` once, when a session is added, removed or renamed. Returns a function that ends that. */
  onChange(wake: () => void): () => void {
    this.#waiting.add(wake)
    return () => void this.#waiting.delete(wake)
  }

  #changed(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }

  all(): ReadonlyArray<Session> {
    return [...this.#sessions.values()]
  }

  get(name: string): Session | undefined {
    return this.#sessions.get(name)
  }

  /** Returns the name of the session that has this name; if none has, of the one that had it last and was renamed. */
  current(name: string): string {
    if (this.#sessions.has(name)) return name
    const id = this.#former.get(name)
    return this.all().find((session) => session.id === id)?.name ?? name
  }

  /** Notes the names that a session of an earlier daemon had before. It is not known which of two had a name last, so neither has it. */
  hadNames(session: Session, names: ReadonlyArray<string>): void {
    for (const name of names) this.#former.set(name, this.#former.has(name) ? "" : session.id)
  }

  set(session: Session): void {
    this.#sessions.set(session.name, session)
    this.#changed()
  }

  /** Ends the lease of a session and removes it, unless another session has taken its name. */
  forget(session: Session): void {
    session.lease.close()
    if (this.#sessions.get(session.name) !== session) return
    this.#sessions.delete(session.name)
    for (const [directory, name] of this.#current) if (name === session.name) this.#current.delete(directory)
    this.#changed()
  }

  /** Removes a session whose start failed, and completes when nothing is left of it. */
  abandon(session: Session): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.forget(session)
      const { name } = session
      this.#ending.set(name, session)
      return Effect.ensuring(
        session.closed,
        Effect.sync(() => this.#ending.delete(name))
      )
    })
  }

  /** Completes when nothing is left of sessions whose start failed. */
  get ended(): Effect.Effect<void> {
    return Effect.suspend(() =>
      Effect.forEach([...this.#ending.values()], ({ closed }) => closed, { concurrency: "unbounded", discard: true })
    )
  }

  /** Takes the name of a session when an earlier one has ended. Fails if a live session has it. */
  take<E>(session: Session, taken: (name: string) => E): Effect.Effect<void, E> {
    return Effect.suspend(() => {
      const { name } = session
      const ending = this.#ending.get(name)
      if (ending !== undefined)
        return Effect.andThen(ending.closed, Effect.andThen(Effect.yieldNow, this.take(session, taken)))
      const other = this.#sessions.get(name)
      if (other !== undefined && isLive(other)) return Effect.fail(taken(name))
      return Effect.sync(() => this.set(session))
    })
  }

  /** Renames a session. */
  rename(session: Session, next: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const before = session.name
      this.#sessions.delete(before)
      this.#sessions.set(next, session)
      for (const [directory, name] of this.#current) if (name === before) this.#current.set(directory, next)
      const ids = new Set(this.all().map(({ id }) => id))
      for (const [name, id] of this.#former) if (!ids.has(id)) this.#former.delete(name)
      this.#former.set(before, session.id)
      return Effect.tap(session.rename(next), () => Effect.sync(() => this.#changed()))
    })
  }

  /** Makes a session the current one of a directory. */
  makeCurrent(directory: string | undefined, name: string): void {
    if (directory !== undefined) this.#current.set(directory, name)
  }

  /** Returns the session with this name. */
  named(name: string): Effect.Effect<Session, Errors.SessionNotFound> {
    return Effect.suspend(() => {
      const session = this.#sessions.get(name)
      return session === undefined
        ? Effect.fail(new Errors.SessionNotFound({ name, known: [...this.#sessions.keys()] }))
        : Effect.succeed(session)
    })
  }

  /** Returns the named session; without a name the current one of the directory, or the only live one. */
  select({ directory, session: name }: SessionSelector): Effect.Effect<Session, SelectionFailure> {
    return Effect.suspend((): Effect.Effect<Session, SelectionFailure> => {
      if (name !== undefined) return this.named(name)
      const current = directory === undefined ? undefined : this.#sessions.get(this.#current.get(directory) ?? "")
      if (current !== undefined) return Effect.succeed(current)
      const all = this.all()
      const candidates = all.some(isLive) ? all.filter(isLive) : all
      const [first, second] = candidates
      if (first === undefined) return Effect.fail(new Errors.NoSession({}))
      return second === undefined
        ? Effect.succeed(first)
        : Effect.fail(new Errors.AmbiguousSession({ names: candidates.map((session) => session.name) }))
    })
  }
}
