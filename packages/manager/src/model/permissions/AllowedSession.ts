/**
 * Callers that are confined to one session: they see and act on no other, and call no operation beside sessions.
 *
 * A token of `grant --session` confines its caller. The session is named, so the next one of that name is meant, too. The token of a page
 * also follows a renamed session, until another one has the name: a person looks at that session, and sees never more than one.
 */
import { Caller, Errors, Hint, Operation } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

const refusal = (session: string, what: string) =>
  new Errors.Policy({
    rule: `session ${session} of the token`,
    what,
    remedies: [Hint.call("status", { session })]
  })

/** Returns a caller whose session has the name that it has now. `current` returns that of a name. */
export const followed = (caller: Caller.Caller, current: (name: string) => string): Caller.Caller => {
  const { session } = caller.allowance
  if (session === undefined || caller.actor.kind !== "page") return caller
  return { ...caller, allowance: { ...caller.allowance, session: current(session) } }
}

/** Fails if the caller is confined to another session. */
export const permit = (name: string): Effect.Effect<void, Errors.Policy> =>
  Effect.flatMap(Caller.Current, ({ allowance: { session } }) =>
    session === undefined || session === name ? Effect.void : Effect.fail(refusal(session, `the session ${name}`))
  )

/** Fails if the caller is confined to a session and the operation is not one of sessions. */
export const permitOperation = (operation: Operation.Any): Effect.Effect<void, Errors.Policy> =>
  Effect.flatMap(Caller.Current, ({ allowance: { session } }) =>
    session === undefined || Operation.meta(operation).ofSession
      ? Effect.void
      : Effect.fail(refusal(session, operation._tag))
  )

/** The only session that the caller may see; absent for all. */
export const onlySession: Effect.Effect<string | undefined> = Effect.map(
  Caller.Current,
  ({ allowance }) => allowance.session
)

/** Returns the sessions that the caller may see. */
export const visible = <S extends { readonly name: string }>(
  sessions: ReadonlyArray<S>
): Effect.Effect<ReadonlyArray<S>> =>
  Effect.map(onlySession, (session) =>
    session === undefined ? sessions : sessions.filter(({ name }) => name === session)
  )
