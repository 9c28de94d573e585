/**
 * Whether an evaluation may run code of the program. An expression that only reads by its text can run code: an overloaded
 * operator, a conversion, a property. For a caller without the effect `eval` a backend refuses such an expression, if its
 * debugger can tell.
 */
import { Caller } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Whether an evaluation may run code of the program; true for work without a caller. */
export const RunsCode = Context.Reference<boolean>("@sigtrap/manager/RunsCode", { defaultValue: () => true })

/** Runs an evaluation for the caller of the running operation. */
export const forCaller = <A, E, R>(evaluation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Caller.Current, ({ allowance: { effects, uses } }) =>
    Effect.provideService(
      evaluation,
      RunsCode,
      effects.includes("eval") || uses.some(({ effect }) => effect === "eval")
    )
  )
