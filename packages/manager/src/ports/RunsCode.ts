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

/** Whether the caller of the running operation, in its session, may run code. */
const byCaller = Effect.map(Effect.all([Caller.Current, byPolicy]), ([{ allowance }, found]) => {
  const mayEvaluate = allowance.effects.includes("eval") || allowance.uses.some(({ effect }) => effect === "eval")
  return mayEvaluate ? found : "which needs the tier evaluate"
})

/** Runs an evaluation for the caller of the running operation. */
export const forCaller = <A, E, R>(evaluation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(byCaller, (found) => Effect.provideService(evaluation, RunsCode, found))

/** How an expression is evaluated that was permitted by its text: `read` where code of the program may not run. `owner` is whose expression it is. */
export const how = (owner: "caller" | "breakpoint"): Effect.Effect<"any" | "read"> =>
  Effect.map(owner === "caller" ? byCaller : byPolicy, (found) => (found === true ? "any" : "read"))
