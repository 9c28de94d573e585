/**
 * Computes the address of a breakpoint first for a caller that may run no code of the program: LLDB's `breakpoint set` runs what the
 * address names, such as a macro that calls a function.
 */
import { Parse, Variables } from "@sigtrap/lldb"
import { RunsCode, type Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { adapterError, withoutCode } from "../../Failures.ts"

const constant = /^\s*(?:0x[0-9a-f]+|\d+)\s*$/i

/** A name with an offset, of which LLDB also evaluates the name alone. */
const withOffset = /^(.*\S)\s*[+-]\s*(?:0x[0-9a-f]+|\d+)\s*$/i

/** Returns why LLDB must not compute an address for the caller of the running operation; undefined if it may. */
export const problem = Effect.fnUntraced(function* (
  command: (line: string) => Effect.Effect<string, Backend.Failure>,
  address: string
): Effect.fn.Return<string | undefined, Backend.Failure> {
  const runsCode = yield* RunsCode.ofCaller
  if (runsCode === true || constant.test(address)) return undefined
  const name = withOffset.exec(address)?.[1]
  for (const expression of name === undefined ? [address] : [address, name]) {
    const line = Variables.expression(expression, { levels: 0 }, undefined, true)
    // LLDB gets no such text from `breakpoint set` either.
    if (Result.isFailure(line)) return undefined
    const detail = Parse.failure(yield* command(line.success))
    if (detail === undefined) return undefined
    const error = withoutCode(adapterError(undefined, "breakpoint set", detail), runsCode)
    if (error._tag === "AdapterError" && error.detail !== detail) return error.detail
  }
  return undefined
})
