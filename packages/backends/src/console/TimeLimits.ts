/**
 * Time limits of expressions that run code of the program, for both backends, and how a timeout is distinguished from another
 * failure: LLDB's message is the same, so the elapsed time decides.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The default time limit, in milliseconds. */
export const usual = 5000

/** Extra time for LLDB itself beyond the limit of a call, in milliseconds. */
export const slack = 2000

/** The longest limit, in milliseconds. */
const longest = 3_600_000

/** The limit that is passed to LLDB, in milliseconds; LLDB takes 0 for no limit. */
export const limited = (millis: number): number => Math.min(Math.max(millis, 1), longest)

/** The error of an evaluation that took too long. */
export const overdue = (millis: number): Errors.RequestTimeout =>
  new Errors.RequestTimeout({ command: "eval", after_ms: millis, remedies: [Hint.help("eval")] })

/** The error of an evaluation that started at `started` (milliseconds) with a limit of `millis`. */
export const failure = (
  error: Errors.AdapterError,
  started: number,
  millis: number
): Effect.Effect<never, Errors.AdapterError | Errors.RequestTimeout> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.fail(error.reason === "interrupted" && now - started >= millis ? overdue(millis) : error)
  )
