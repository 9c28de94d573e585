/**
 * The time limit of a whole call. The wait for a stop ends by itself; this also bounds the requests before and after it, which a
 * debugger may leave unanswered for longer.
 */
import { CallRequests, Errors, Field } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

/** Time after the limit in which the answer is completed, in milliseconds. */
const grace = 1000

/**
 * Runs a call for at most `millis` and a second, else fails with `RequestTimeout` about the request that the debugger has not answered,
 * or about `told`, if no request waits: the command and its whole time. What cannot be interrupted, such as the answer to a resume, is then awaited in the background.
 */
export const bounded = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  millis: number,
  told: { readonly command: string; readonly millis: number }
): Effect.Effect<A, E | Errors.RequestTimeout, R> =>
  Number.isFinite(millis)
    ? Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkDetach(restore(work), { startImmediately: true })
          const ended = yield* Effect.onInterrupt(
            restore(Effect.timeoutOption(Fiber.await(fiber), Math.max(0, millis) + grace)),
            () => Fiber.interrupt(fiber)
          )
          if (Option.isSome(ended)) return yield* ended.value
          const command = CallRequests.longest(yield* CallRequests.Current) ?? told.command
          fiber.interruptUnsafe()
          return yield* new Errors.RequestTimeout({ command, after_ms: Math.round(told.millis) })
        })
      )
    : work

/** Runs a call for at most its own `timeout`, `more` milliseconds and a second. */
export const within = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  { timeout }: { readonly timeout: string },
  command: string,
  more = 0
): Effect.Effect<A, E | Errors.RequestTimeout, R> =>
  bounded(work, Field.millis(timeout) + more, { command, millis: Field.millis(timeout) })
