/**
 * Whether the caller of the running operation may have the effects of its call.
 *
 * A call is permitted before its handler runs, from its payload. The handlers of operations that read files with effects
 * (`Meta.readsEffects`) permit it themselves, from what they read and then run. An error before that is only for callers that may have
 * the effects of the payload: it tells what files, programs and sessions there are.
 */
import { Caller, CallRequests, Effects, Errors, Hint, Operation } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as AllowedSession from "./AllowedSession.ts"

/** A call that runs: what is called, with which payload, and the effects that the payload states. */
export interface Running {
  readonly operation: Operation.Any
  readonly payload: unknown
  readonly uses: ReadonlyArray<Effects.Use>
  /** True once it was checked whether the caller may have all effects of the call. */
  isChecked: boolean
}

/** The running call, for the policy and the activity of the session that it acts on. Absent for work without a call. */
export const Call = Context.Reference<Running | undefined>("@sigtrap/manager/Permission/Call", {
  defaultValue: () => undefined
})

/** The effects of the running call; empty for work without a call. */
export const Uses = Effect.map(Call, (running) => running?.uses ?? [])

/** The operation of the running call as a field of an event; none if it is `command`, or without a call. */
export const operationBeside = (command: string): Effect.Effect<{ readonly operation?: string }> =>
  Effect.map(Call, (running) =>
    running === undefined || running.operation._tag === command ? {} : { operation: running.operation._tag }
  )

/** Fails if the caller may not have one of these effects. */
export const permit = (operation: string, uses: ReadonlyArray<Effects.Use>): Effect.Effect<void, Errors.TierRequired> =>
  Effect.flatMap(Effect.all([Caller.Current, Caller.Witness]), ([{ allowance, grant }, witness]) => {
    witness(uses)
    const missing = Caller.missing(allowance, uses).map((use) => ({ ...use, tier: Effects.tierOf(use.effect) }))
    return missing.length === 0
      ? Effect.void
      : Effect.fail(new Errors.TierRequired({ operation, missing, ...(grant === undefined ? {} : byGrant(missing)) }))
  })

/**
 * Fails if the caller may not have one of the effects of the running call, or of these, which its handler has found. All are checked
 * together, so that a person is asked once. `operation` is named if no call runs.
 */
export const permitCall = (
  operation: string,
  found: ReadonlyArray<Effects.Use>
): Effect.Effect<void, Errors.TierRequired> =>
  Effect.flatMap(Call, (running) => {
    if (running === undefined) return permit(operation, found)
    running.isChecked = true
    const { uses } = running
    const others = found.filter((use) => !uses.some((own) => Caller.sameUse(own, use)))
    return permit(running.operation._tag, [...uses, ...others])
  })

/** Who can allow the caller of a token what it lacks, and how. */
const byGrant = (missing: Errors.TierRequired["missing"]) => {
  const tiers = [...new Set(missing.map(({ tier }) => tier))].join(",")
  return {
    who: "the owner of the daemon",
    remedies: [Hint.local("grant", ["--tier", tiers], "the daemon's owner can write a token with this tier")]
  }
}

/** Returns the effects of a call as its payload states them. */
export const usesOf = (operation: Operation.Any, payload: unknown): ReadonlyArray<Effects.Use> =>
  Effects.ofCall(Operation.meta(operation), payload)

/** Permits a call by its payload and runs it. An operation that reads effects from files is permitted by its handler. */
export const permitted = <A, E>(
  operation: Operation.Any,
  payload: unknown,
  work: Effect.Effect<A, E>
): Effect.Effect<A, E | Errors.TierRequired | Errors.Policy> => {
  const uses = usesOf(operation, payload)
  const call: Running = { operation, payload, uses, isChecked: false }
  const running = Effect.flatMap(CallRequests.Current, (outer) =>
    work.pipe(Effect.provideService(Call, call), Effect.provideService(CallRequests.Current, CallRequests.make(outer)))
  )
  const permission = permit(operation._tag, uses)
  return Operation.meta(operation).readsEffects
    ? AllowedSession.permitOperation(operation).pipe(
        Effect.andThen(running),
        Effect.catch((error) => Effect.andThen(call.isChecked ? Effect.void : permission, Effect.fail(error)))
      )
    : permission.pipe(
        Effect.andThen(AllowedSession.permitOperation(operation)),
        Effect.andThen(
          Effect.suspend(() => {
            call.isChecked = true
            return running
          })
        )
      )
}
