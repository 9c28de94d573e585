/**
 * The meaning of a debugger's error messages, as data. Each debugger's file has its own patterns; other code reads the
 * reason that they give and never the message.
 */
import { Errors } from "@sigtrap/protocol"
import type { Backend } from "@sigtrap/manager"

/** Patterns of one debugger's messages, by what they mean. */
export interface Failures extends Readonly<Partial<Record<Errors.AdapterReason, RegExp>>> {
  /** The system does not allow tracing the process. */
  readonly forbidden?: RegExp
  /** The debug server does not answer. */
  readonly unreachable?: RegExp
  /** A debugger command of the launch failed; the group `name` is `init` or `preRun`. */
  readonly launchCommand?: RegExp
  /** A command that runs others, one of which the message may mean. */
  readonly runsCommands?: RegExp
}

/** In the order in which they are tried. */
const reasons = Errors.AdapterReason.literals

/** The reason of a message and its group `name`, as fields of an error; no field if no pattern matches. */
const reasonOf = (
  failures: Failures | undefined,
  command: string,
  detail: string
): { readonly reason?: Errors.AdapterReason; readonly unknown?: string } => {
  if (failures?.runsCommands?.test(command) === true) return {}
  const reason = reasons.find((one) => failures?.[one]?.test(detail) === true)
  if (reason === undefined) return {}
  const unknown = failures?.[reason]?.exec(detail)?.groups?.["name"]
  return unknown === undefined ? { reason } : { reason, unknown }
}

/** The error of a request that the debugger refused with this message. */
export const adapterError = (failures: Failures | undefined, command: string, detail: string): Errors.AdapterError =>
  new Errors.AdapterError({ command, detail, ...reasonOf(failures, command, detail) })

/** The error of an expression, with the part of the message that `detail` is. The rest may have the reason. */
export const expressionError = (
  failures: Failures | undefined,
  command: string,
  message: string,
  detail: string
): Errors.AdapterError => {
  const error = adapterError(failures, command, detail)
  return error.reason === undefined
    ? new Errors.AdapterError({ command, detail, ...reasonOf(failures, command, message) })
    : error
}

/** The error of an expression with a call that `find` does not know. */
export const noElement = (expression: string): Errors.AdapterError =>
  new Errors.AdapterError({
    command: "frame variable",
    detail: `${expression} cannot be read without calling a function of the program; eval calls it`
  })

/** The answers of LLDB and GDB to an expression that they cannot compute by themselves, without code in the program. */
const needsCode =
  /^(?:error: )?(?:Can't evaluate the expression without a running target|.*Interpreter doesn't handle|(?:You c|C)annot call functions in the program|Writing to (?:memory|registers) is not allowed)/i

/** Returns the error of an expression that may not run code, if that is why it failed. `needs` is what it would need, as a clause. */
export const withoutCode = (error: Backend.Failure, needs: string): Backend.Failure =>
  error._tag === "AdapterError" && needsCode.test(error.detail.trim())
    ? new Errors.AdapterError({
        command: error.command,
        detail: `it may run code of the program, such as an overloaded operator, ${needs}`
      })
    : error
