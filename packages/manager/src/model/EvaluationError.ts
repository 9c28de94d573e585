/**
 * The error of an expression that the debugger refused.
 */
import { Errors, Hint } from "@sigtrap/protocol"

/** What debuggers say of a call whose function has no debug information, such as `getenv("A")`, and an expression that is one call. */
const untyped = /has unknown return type/
const oneCall = /^\s*[A-Za-z_][\w:]*\([^]*\)\s*$/

/** Returns the error of an evaluation, with the detail, the reason and the unknown name of the debugger's error. */
export const of = (expression: string, { detail, reason, unknown }: Errors.AdapterError): Errors.EvaluationFailed =>
  new Errors.EvaluationFailed({
    expression,
    detail,
    ...(reason === undefined ? {} : { reason }),
    ...(untyped.test(detail) && oneCall.test(expression)
      ? { remedies: [Hint.again("eval", { expression: `(long)${expression.trim()}` })] }
      : {}),
    ...(unknown === undefined ? {} : { unknown })
  })
