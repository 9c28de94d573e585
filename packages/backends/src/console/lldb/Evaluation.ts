/**
 * How long an expression may run code of the program, whichever way LLDB is driven, and how an end for lack of time is told
 * from another failure: LLDB gives the reason of the stop before it.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** How long an evaluation may take of which nothing is said, in milliseconds. */
export const usual = 5000

/** What LLDB itself needs beyond the time that a call is given, in milliseconds. */
export const slack = 2000

/** The longest that LLDB is told, in milliseconds. */
const longest = 3_600_000

const interrupted = /^Execution was interrupted|timed out/i

/** Milliseconds that LLDB can be told: 0 would be no limit to it. */
export const limited = (millis: number): number => Math.min(Math.max(millis, 1), longest)

/** The failure of an evaluation that took too long. */
export const overdue = (millis: number): Errors.RequestTimeout =>
  new Errors.RequestTimeout({ command: "eval", after_ms: millis, remedies: [Hint.help("eval")] })

/** The failure of an evaluation that began then and had so many milliseconds. */
export const failure = (
  error: Errors.AdapterError,
  begun: number,
  millis: number
): Effect.Effect<never, Errors.AdapterError | Errors.RequestTimeout> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.fail(interrupted.test(error.detail) && now - begun >= millis ? overdue(millis) : error)
  )
