/**
 * How to render answers for a caller: the base directory of paths, the detail, and the commands to show more.
 */
import * as Doc from "./Doc.ts"
import { FunctionName, Hint, type Operations, type Stop } from "@sigtrap/protocol"

/** Fields to change in a call. */
export interface Change {
  readonly [field: string]: unknown
}

/** How to render answers for a caller. */
export interface View {
  /** The directory to which paths below it are shown relative. */
  readonly directory?: string
  /** Also show types, addresses, modules and thread ids. */
  readonly verbose?: boolean
  /** Show no warnings and no hints. */
  readonly quiet?: boolean
  /** The detail of stop reports; `full` shows each frame and variable on a line of its own. */
  readonly detail?: Stop.Detail
  /** The payload of the call, as the caller wrote it. */
  readonly input?: Change
  /** The command that makes the same call with some fields changed. */
  readonly again?: (change: Change) => string
  /** Writes a hint in the form in which the caller makes calls. */
  readonly write?: (hint: Hint.Hint) => string
  /** `false` where the caller has no command line, so that none of its commands and flags is named. */
  readonly commands?: boolean
}

/** A hint where no surface says how its callers write one: the operation and its input. */
const plain = (hint: Hint.Hint): string => {
  if (!("operation" in hint)) return hint.note
  return Object.keys(hint.input).length === 0 ? hint.operation : `${hint.operation} ${JSON.stringify(hint.input)}`
}

/** A hint as the caller makes the call. */
export const write = (view: View, hint: Hint.Hint): string => view.write?.(hint) ?? plain(hint)

/** Returns the reason of a hint in parentheses. It precedes the call, so that the rest of the line can be copied and run. */
export const reason = (hint: Hint.Hint): string =>
  "operation" in hint && hint.note !== undefined ? ` (${hint.note})` : ""

/** A call of another operation on the same session. */
export const other = <T extends Operations.Tag>(
  view: View,
  operation: T,
  change: Parameters<typeof Hint.again<T>>[1] = {}
): string => {
  const { again: _, ...call } = Hint.again(operation, change)
  const session = view.input?.["session"]
  return write(view, typeof session === "string" ? { ...call, input: { ...call.input, session } } : call)
}

/** The call that shows more of the same: the caller's own way to write it, else the operation and what changes. */
export const again = (view: View, operation: string, change: Change): string =>
  view.again?.(change) ?? `${operation} ${JSON.stringify(change)}`

/** Whether a text may name commands of the command line: not where its caller has other calls, or wants none named. */
export const commands = (view: View): boolean => view.quiet !== true && view.commands !== false

/** Returns a number from the payload of the call. */
export const number = (view: View, field: string, fallback: number): number => {
  const value = view.input?.[field]
  return typeof value === "number" ? value : fallback
}

/** Returns a path to show: relative to the directory if below it, else its last two parts. */
export const path = (view: View, file: string): string => {
  const { directory } = view
  const prefix = directory === undefined || directory === "" ? undefined : directory.replace(/[/\\]*$/, "/")
  if (prefix !== undefined && file.length > prefix.length && file.replaceAll("\\", "/").startsWith(prefix)) {
    return file.slice(prefix.length)
  }
  const parts = file.split(/[/\\]+/)
  return parts.length <= 2 ? file : parts.slice(-2).join("/")
}

/** Returns the last part of a path. */
export const basename = (file: string): string => file.split(/[/\\]+/).findLast((part) => part !== "") ?? file

/** Returns a function's name: whole if verbose, else short and cut to 60 characters. */
export const functionName = (view: View, name: string): string =>
  view.verbose === true ? name : Doc.cut(FunctionName.short(name), 60)

/** Returns a function's name with its argument types, which tell overloads apart, cut to 60 characters unless verbose. */
export const functionSignature = (view: View, name: string): string =>
  view.verbose === true ? name : Doc.cut(name, 60)
