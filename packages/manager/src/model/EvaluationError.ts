/**
 * The error of an expression that the debugger refused.
 */
import { Errors } from "@sigtrap/protocol"

/** Returns the error of an evaluation, with the detail and the reason of the debugger's error. */
export const of = (expression: string, { detail, reason }: Errors.AdapterError): Errors.EvaluationFailed =>
  new Errors.EvaluationFailed({ expression, detail, ...(reason === undefined ? {} : { reason }) })
