/**
 * The error of an expression that the debugger refused.
 */
import { Errors } from "@sigtrap/protocol"

/** Returns the error of an evaluation, with the detail, the reason and the unknown name of the debugger's error. */
export const of = (expression: string, { detail, reason, unknown }: Errors.AdapterError): Errors.EvaluationFailed =>
  new Errors.EvaluationFailed({
    expression,
    detail,
    ...(reason === undefined ? {} : { reason }),
    ...(unknown === undefined ? {} : { unknown })
  })
