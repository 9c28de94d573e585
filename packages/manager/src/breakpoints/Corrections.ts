/**
 * Corrects the name in a location that was not resolved: hints that repeat the call with the nearest name.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import type { Request } from "../model/BreakpointPlace.ts"

/** Fields of a start that set breakpoints. */
interface Fields {
  readonly break?: ReadonlyArray<string> | undefined
  readonly logpoint?: ReadonlyArray<string> | undefined
}

/** True if a nearest name is a place `FILE:LINE`: the file is right, but the line has no code. */
const isLine = (nearest: string) => /:\d+$/.test(nearest)

/** Returns the location with the nearest name; undefined if the location does not show its name. */
const corrected = ({ place, text }: Pick<Request, "place" | "text">, nearest: string): string | undefined => {
  const at = place.kind === "special" ? place.at : place
  if (at.kind === "line") {
    // "9999" and "+1000" are lines of the current file.
    if (isLine(nearest) && /^[+-]?\d+$/.test(text)) return nearest
    const [, directory, line] = /^(.*[/\\])?[^/\\]*(:\d+)$/.exec(text) ?? []
    if (line === undefined) return undefined
    return `${directory ?? ""}${nearest}${isLine(nearest) ? "" : line}`
  }
  if (at.kind !== "function" || !text.includes(at.name)) return undefined
  const start = text.lastIndexOf(at.name)
  return `${text.slice(0, start)}${nearest}${text.slice(start + at.name.length)}`
}

const advised = ({ location, near, reason }: Errors.BreakpointUnresolved, remedies: Hint.Hints) =>
  new Errors.BreakpointUnresolved({ location, reason, near, remedies })

/** Adds hints to call `break` with the nearest name, and to wait for a library with the name as it is. */
export const ofBreak = (error: Errors.BreakpointUnresolved, request: Request): Errors.BreakpointUnresolved => {
  const [nearest] = error.near
  const at = nearest === undefined ? undefined : corrected(request, nearest)
  if (at === undefined) return error
  // Waiting for a library helps neither a line beyond the end of a known file, nor a name with more than the debugger takes.
  const retry = Hint.again("break", { at })
  if (isLine(at) || error.location.endsWith(`.${at}`)) return advised(error, [retry])
  return advised(error, [retry, Hint.again("break", { at: error.location, pending: true })])
}

/** Adds a hint for a location that other fields than `at` give: the nearest name, or waiting for a library. */
export const ofField = (
  error: Errors.BreakpointUnresolved,
  { address, file, regex }: { readonly [K in "address" | "file" | "regex"]?: string | undefined }
): Errors.BreakpointUnresolved => {
  const [nearest] = error.near
  if (address !== undefined) return advised(error, [Hint.help("break")])
  if (regex !== undefined && !error.reason.startsWith("no function")) return advised(error, [Hint.help("break")])
  if (nearest === undefined) return advised(error, [Hint.again("break", { pending: true })])
  const line = /:(\d+)$/.exec(nearest)?.[1]
  if (line !== undefined) return advised(error, [Hint.again("break", { line: Number(line) })])
  const isFile = file !== undefined && error.location.startsWith(`${file}:`) && /:\d+$/.test(error.location)
  return advised(error, [Hint.again("break", isFile ? { file: nearest } : { function: nearest })])
}

/** Adds a hint to run to the nearest place; without one, the help of `until`: waiting for a library does not help. */
export const ofUntil = (error: Errors.BreakpointUnresolved, request: Request): Errors.BreakpointUnresolved => {
  const [nearest] = error.near
  const at = nearest === undefined ? undefined : corrected(request, nearest)
  return advised(error, [at === undefined ? Hint.help("until") : Hint.again("until", { at })])
}

const isFunction = ({ place }: Request) => (place.kind === "special" ? place.at : place).kind === "function"

/**
 * Adds a hint to start again with the nearest name, or with `pending` if a function has none. `requests` has a request of each
 * breakpoint, then of each logpoint.
 */
export const ofStart = (
  error: Errors.BreakpointUnresolved,
  requests: ReadonlyArray<Request>,
  { break: breakpoints = [], logpoint: logpoints = [] }: Fields
): Errors.BreakpointUnresolved => {
  const [nearest] = error.near
  const index = requests.findIndex(({ text }) => text === error.location)
  const request = requests[index]
  const text = nearest === undefined || request === undefined ? undefined : corrected(request, nearest)
  if (text === undefined) {
    // A library that has the function may be loaded when the program runs.
    return request !== undefined && isFunction(request)
      ? advised(error, [Hint.again("start", { pending: true })])
      : error
  }
  const replaced = (written: string) => written.replace(error.location, () => text)
  const remedy =
    index < breakpoints.length
      ? Hint.again("start", { break: breakpoints.map((one, at) => (at === index ? replaced(one) : one)) })
      : Hint.again("start", {
          logpoint: logpoints.map((one, at) => (at === index - breakpoints.length ? replaced(one) : one))
        })
  return advised(error, [remedy])
}
