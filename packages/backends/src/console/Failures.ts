/**
 * The meaning of a debugger's error messages, as data. Each debugger's file has its own patterns; other code reads the
 * reason that they give and never the message.
 */
import { Errors } from "@sigtrap/protocol"

/** Patterns of one debugger's messages, by what they mean. */
export interface Failures extends Readonly<Partial<Record<Errors.AdapterReason, RegExp>>> {
  /** The system does not allow tracing the process. */
  readonly forbidden?: RegExp
  /** The debug server does not answer. */
  readonly unreachable?: RegExp
}

/** In the order in which they are tried. */
const reasons = Errors.AdapterReason.literals

/** The reason of a message, as the field of an error; no field if no pattern matches. */
const reasonOf = (failures: Failures | undefined, detail: string): { readonly reason?: Errors.AdapterReason } => {
  const reason = reasons.find((one) => failures?.[one]?.test(detail) === true)
  return reason === undefined ? {} : { reason }
}

/** The error of a request that the debugger refused with this message. */
export const adapterError = (failures: Failures | undefined, command: string, detail: string): Errors.AdapterError =>
  new Errors.AdapterError({ command, detail, ...reasonOf(failures, detail) })

/** The error of an expression with a call that `find` does not know. */
export const noElement = (expression: string): Errors.AdapterError =>
  new Errors.AdapterError({
    command: "frame variable",
    detail: `${expression} cannot be read without calling a function of the program; eval calls it`
  })
