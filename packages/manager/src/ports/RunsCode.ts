/**
 * Whether an evaluation may run code of the program. An expression that only reads by its text can run code: an overloaded
 * operator, a conversion, a macro, a property. For a caller without the effect `eval`, and in a session whose policy forbids it, a
 * backend refuses such an expression, if its debugger can tell.
 */
import { Caller } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** True if an evaluation may run code of the program, as for work without a caller; else what it would need, as a clause. */
export const RunsCode = Context.Reference<true | string>("@sigtrap/manager/RunsCode", { defaultValue: () => true })

const forbiddenBy = (rule: string) => `which the policy ${rule} forbids`

/** The rule of the session's policy that forbids to run code of the program; undefined if none does. */
export const ByPolicy = Context.Reference<string | undefined>("@sigtrap/manager/RunsCode/ByPolicy", {
  defaultValue: () => undefined
})

/** Runs work without a caller, such as the condition of a breakpoint, in a session whose policy may forbid to run code. */
export const underPolicy = <A, E, R>(work: Effect.Effect<A, E, R>, rule: string | undefined): Effect.Effect<A, E, R> =>
  rule === undefined ? work : Effect.provideService(work, RunsCode, forbiddenBy(rule))

/** Whether the session's policy forbids to run code: true if it does not, else the clause. */
const byPolicy = Effect.map(Effect.all([RunsCode, ByPolicy]), ([outer, rule]) =>
  outer === true && rule !== undefined ? forbiddenBy(rule) : outer
)

/** True for expressions of a breakpoint: who set it was permitted, and any client may be the first to look at its stop. */
const OfBreakpoint = Context.Reference<boolean>("@sigtrap/manager/RunsCode/OfBreakpoint", { defaultValue: () => false })

/** Whether the caller of the running operation, in its session, may run code: true, or what it would need, as a clause. */
export const ofCaller = Effect.map(
  Effect.all([Caller.Current, byPolicy, OfBreakpoint]),
  ([{ allowance }, found, isPermitted]) => {
    if (isPermitted) return found
    const mayEvaluate = allowance.effects.includes("eval") || allowance.uses.some(({ effect }) => effect === "eval")
    return mayEvaluate ? found : "which needs the tier evaluate"
  }
)

/** Runs an evaluation for the caller of the running operation. */
export const forCaller = <A, E, R>(evaluation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(ofCaller, (found) => Effect.provideService(evaluation, RunsCode, found))

/**
 * Evaluates expressions that were permitted by their text: by `read` where code of the program may not run. `owner` is whose they are: those of
 * a breakpoint were permitted when it was set.
 */
export const evaluating = <A, E, R>(
  owner: "caller" | "breakpoint",
  evaluate: (how: "any" | "read") => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(ofCaller, (found) => evaluate(found === true ? "any" : "read")).pipe(
    Effect.provideService(OfBreakpoint, owner === "breakpoint")
  )
