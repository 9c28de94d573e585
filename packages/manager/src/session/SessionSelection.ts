/**
 * Selects, renames and replaces the sessions that the caller may see.
 */
import { Caller, Errors, Span } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as AllowedSession from "../model/permissions/AllowedSession.ts"
import * as Ownership from "./consent/Ownership.ts"
import type { Session } from "./Session.ts"
import { type SessionSelector, isLive, type SessionNames } from "./SessionNames.ts"

/** Returns the sessions that the caller may see, and the caller with the name that its only session has now. */
export const seen = (names: SessionNames) => ({
  sessions: Effect.suspend(() => AllowedSession.visible(names.all())),
  caller: Effect.map(Caller.Current, (caller) => AllowedSession.followed(caller, (name) => names.current(name)))
})

/** Failures of a new name. */
export type RenameFailure = Errors.SessionNotFound | Errors.SessionExists | Errors.LeaseHeld | Errors.Policy

/** Selects a session. A caller that is confined to one session needs no name for it. */
export const select = (names: SessionNames) =>
  Effect.fnUntraced(function* (selector: SessionSelector) {
    const only = yield* AllowedSession.onlySession
    if (only === undefined) return yield* names.select(selector)
    const { session = only } = selector
    yield* AllowedSession.permit(session)
    return yield* Effect.mapError(names.named(session), () => new Errors.SessionNotFound({ name: session, known: [] }))
  }, Span.within("Manager.select"))

/** Makes a session the current one of a directory. */
export const use =
  (names: SessionNames) =>
  (name: string, directory: string | undefined): Effect.Effect<Session, Errors.SessionNotFound | Errors.Policy> =>
    Effect.andThen(AllowedSession.permit(name), names.named(name)).pipe(
      Effect.tap(() => Effect.sync(() => names.makeCurrent(directory, name)))
    )

/** Renames a session. An ended session that has the new name is forgotten. */
export const rename = (names: SessionNames, end: (session: Session) => Effect.Effect<unknown>) =>
  Effect.fn("Manager.rename")(function* (name: string, next: string) {
    yield* Effect.andThen(AllowedSession.permit(name), AllowedSession.permit(next))
    const session = yield* names.named(name)
    const other = names.get(next)
    if (other === session) return session
    yield* Ownership.permitControl(session)
    if (other !== undefined) yield* Ownership.permitControl(other)
    if (other !== undefined && isLive(other)) return yield* new Errors.SessionExists({ name: next })
    if (other !== undefined) yield* end(other)
    yield* names.rename(session, next)
    return session
  })

/** Returns a function that ends the session with a name. It fails if that session is live and `replace` is false. */
export const free = (names: SessionNames, end: (session: Session) => Effect.Effect<unknown>) =>
  Effect.fnUntraced(function* (name: string, replace: boolean) {
    yield* AllowedSession.permit(name)
    const known = names.get(name)
    if (known === undefined) return
    if (isLive(known) && !replace) return yield* Ownership.nameInUse(name)
    yield* Ownership.permitEnd("replace", known, "replace")
    yield* end(known)
  })
