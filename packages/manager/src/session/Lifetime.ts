/**
 * The scope of one session's debugger, closed once when the session ends.
 *
 * Fibers: (1) the keeper, started with the session in the manager's scope. It waits for the end, closes the scope,
 * which ends debugger and program, and removes the session from the ledger. (2) Work of the session that no caller
 * waits for, in the session's scope.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

/** The lifetime of one session. */
export interface Lifetime {
  /** Closed with the debugger. */
  readonly scope: Scope.Scope
  /** Starts the keeper. */
  readonly begin: Effect.Effect<void>
  /** Reports that the session has ended; synchronous. */
  readonly end: () => void
  /** Completes when the scope is closed. */
  readonly closed: Effect.Effect<void>
  /** Runs work in the session's scope, from synchronous code. */
  readonly fork: (work: Effect.Effect<void>) => void
}

/** Makes a lifetime within the scope of the manager. `afterClose` runs when the scope is closed. */
export const make = Effect.fnUntraced(function* (manager: Scope.Scope, afterClose: Effect.Effect<void>) {
  const scope = yield* Scope.make()
  const ended = yield* Deferred.make<void>()
  const closed = yield* Deferred.make<void>()
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const keeper = Deferred.await(ended).pipe(
    Effect.andThen(Scope.close(scope, Exit.void)),
    Effect.andThen(afterClose),
    Effect.ensuring(Deferred.succeed(closed, undefined))
  )
  const lifetime: Lifetime = {
    scope,
    begin: Effect.asVoid(Effect.forkIn(keeper, manager)),
    end: () => void Deferred.doneUnsafe(ended, Exit.void),
    closed: Deferred.await(closed),
    fork: (work) => void run(Effect.forkIn(work, scope))
  }
  return lifetime
})
