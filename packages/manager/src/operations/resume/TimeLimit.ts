/**
 * The time limit of a whole call. The wait for a stop ends by itself; this also bounds the requests before and after it, which a
 * debugger may leave unanswered for longer.
 */
import { CallRequests, Errors, Field, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

/** Time after the limit in which the answer is completed, in milliseconds. */
const grace = 1000

/** The shortest time that a debugger gets to start, in milliseconds: some need seconds, and `timeout` may be 0. */
const leastStart = 3000

/**
 * Runs a call for at most `millis` and a second, else fails with `RequestTimeout` about the request that the debugger has not answered,
 * or about `told`, if no request waits: the command, its whole time, and what does not answer (the debugger). What cannot be interrupted,
 * such as the answer to a resume, is then awaited in the background.
 */
export const bounded = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  millis: number,
  told: { readonly command: string; readonly millis: number; readonly by?: string; readonly remedies?: Hint.Hints }
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
          // The call may have ended in the moment of its limit.
          const late = fiber.pollUnsafe()
          if (late !== undefined) return yield* late
          const command = CallRequests.longest(yield* CallRequests.Current) ?? told.command
          fiber.interruptUnsafe()
          const { by, remedies } = told
          const advice = { ...(by === undefined ? {} : { by }), ...(remedies === undefined ? {} : { remedies }) }
          return yield* new Errors.RequestTimeout({ command, after_ms: Math.round(told.millis), ...advice })
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

/** The fields of a call that starts a debugger. */
interface Starting {
  readonly timeout: string
  readonly wait?: boolean
  readonly wait_for?: string
}

/**
 * Runs the start of a debugger for at most the `timeout` of its call and a second, at least 4 s. A caller that does not wait for the first stop
 * gives it no limit. An interrupted start ends the debugger and its program in the background.
 */
export const ofStart = <A, E, R>(
  start: Effect.Effect<A, E, R>,
  { timeout, wait = true, wait_for = "stop" }: Starting,
  command: "start" | "attach" | "core" | "connect" | "restart"
): Effect.Effect<A, E | Errors.RequestTimeout, R> => {
  if (!wait || wait_for !== "stop") return start
  const millis = Math.max(Field.millis(timeout), leastStart)
  const longer = Hint.again(command, { timeout: "2m" }, "if the debugger needs longer")
  return bounded(start, millis, { command, millis, remedies: [longer, Hint.local("doctor")] })
}
