/**
 * Whether the caller of the running operation may have the effects of its call.
 *
 * A call is permitted before its handler runs, from its payload. The handlers of operations that read files with effects
 * (`Meta.readsEffects`) permit it themselves, from what they read and then run.
 */
import { Caller, Effects, Errors, Operation } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The effects of the running call, for the policy of the session that it acts on. Empty for work without a call. */
export const Uses = Context.Reference<ReadonlyArray<Effects.Use>>("@sigtrap/manager/Permission/Uses", {
  defaultValue: () => []
})

/** Fails if the caller may not have one of these effects. */
export const permit = (operation: string, uses: ReadonlyArray<Effects.Use>): Effect.Effect<void, Errors.TierRequired> =>
  Effect.flatMap(Effect.all([Caller.Current, Caller.Witness]), ([{ allowance }, witness]) => {
    witness(uses)
    const missing = Caller.missing(allowance, uses).map((use) => ({ ...use, tier: Effects.tierOf(use.effect) }))
    return missing.length === 0 ? Effect.void : Effect.fail(new Errors.TierRequired({ operation, missing }))
  })

/** Returns the effects of a call as its payload states them. */
const usesOf = (operation: Operation.Any, payload: unknown): ReadonlyArray<Effects.Use> =>
  Effects.ofCall(Operation.meta(operation), payload)

/** Permits a call by its payload and runs it. An operation that reads effects from files is permitted by its handler. */
export const permitted = <A, E>(
  operation: Operation.Any,
  payload: unknown,
  work: Effect.Effect<A, E>
): Effect.Effect<A, E | Errors.TierRequired> => {
  const uses = usesOf(operation, payload)
  const running = Effect.provideService(work, Uses, uses)
  return Operation.meta(operation).readsEffects ? running : Effect.andThen(permit(operation._tag, uses), running)
}
