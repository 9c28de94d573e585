/**
 * Time limits of expressions that run code of the program, for both backends. LLDB's message does not distinguish a timeout
 * from another interruption, so the elapsed time does.
 */
import { Errors, Hint, MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

/** The default time limit, in milliseconds. */
export const usual = 5000

/** Extra time for LLDB itself beyond the limit of a call, in milliseconds. */
export const slack = 2000

/** The longest limit, in milliseconds. */
const longest = 3_600_000

/** Returns the limit for LLDB, in milliseconds; at least 1, since 0 means no limit. */
export const limited = (millis: number): number => Math.min(Math.max(millis, 1), longest)

/** Returns the error of an evaluation that exceeded its limit. */
export const overdue = (millis: number): Errors.RequestTimeout =>
  new Errors.RequestTimeout({ command: "eval", after_ms: millis, remedies: [Hint.help("eval")] })

/** Fails with a timeout if the limit has passed since `started` (`MonotonicTime`), otherwise with `error`. */
export const failure = (
  error: Errors.AdapterError,
  started: number,
  millis: number
): Effect.Effect<never, Errors.AdapterError | Errors.RequestTimeout> =>
  Effect.flatMap(MonotonicTime.now, (now) =>
    Effect.fail(error.reason === "interrupted" && now - started >= millis ? overdue(millis) : error)
  )
