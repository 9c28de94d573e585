/**
 * The error of an expression that the debugger refused.
 */
import { Errors, Hint } from "@sigtrap/protocol"

/** An expression that is one call. That of a function without debug information, such as `getenv("A")`, has no known type. */
const oneCall = /^\s*[A-Za-z_][\w:]*\([^]*\)\s*$/

/** Returns the error of an evaluation, with the detail, the reason and the unknown name of the debugger's error. */
export const of = (expression: string, { detail, reason, unknown }: Errors.AdapterError): Errors.EvaluationFailed =>
  new Errors.EvaluationFailed({
    expression,
    detail,
    ...(reason === undefined ? {} : { reason }),
    ...(reason === "unknown-type" && oneCall.test(expression)
      ? { remedies: [Hint.again("eval", { expression: `(long)${expression.trim()}` })] }
      : {}),
    ...(unknown === undefined ? {} : { unknown })
  })
