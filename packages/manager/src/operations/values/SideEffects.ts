/** The error of an expression that an operation does not evaluate, because the operation only reads. */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RunsCode from "../../ports/RunsCode.ts"

/** A short name of something else than a value, such as the frame `@f1`. */
const otherName = /^@[a-z]\w*$/i

type Refusal = Errors.SideEffects | Errors.VariableNotFound

/** Fails for an expression that may change the program. The hint is `eval`, unless the session's policy forbids it. */
export const refuse = (expression: string): Effect.Effect<never, Refusal> =>
  Effect.flatMap(RunsCode.ByPolicy, (rule): Effect.Effect<never, Refusal> => {
    if (otherName.test(expression)) return Effect.fail(new Errors.VariableNotFound({ name: expression, near: [] }))
    const remedies = rule === undefined ? {} : { remedies: [Hint.call("locals", {})] as const }
    return Effect.fail(new Errors.SideEffects({ expression, ...remedies }))
  })
