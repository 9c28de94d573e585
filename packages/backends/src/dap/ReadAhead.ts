/**
 * Requests the threads and the innermost frames of a stop as soon as it is recorded, while those who wait for it wake up. A
 * report then begins with answers that are on their way.
 *
 * Each answer is used once, for the same question; the frames also for questions about fewer of them. What may change the
 * stopped program drops the answers. Nothing is requested for a stop that comes while requests of an earlier one are pending: a
 * debugger that reports stops faster than it answers would otherwise have ever more of them.
 */
import type { Backend } from "@sigtrap/manager"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** Number of frames that a report reads first. */
const frames = 20

/** What a connection provides. */
export interface Options extends Pick<Backend.Connection, "threads" | "stack"> {
  /** Runs an effect in the background, up to its first wait at once. */
  readonly begin: (effect: Effect.Effect<void>) => void
  /** Writes the requests at once: the debugger answers while those who wait for the stop run. */
  readonly flush?: (() => void) | undefined
}

/** The requests of one connection with answers that were read ahead. */
export interface ReadAhead extends Pick<Backend.Connection, "threads" | "stack"> {
  /** Drops the answers for an earlier stop, and sends the requests if none is pending. */
  readonly start: (thread: number) => void
  /** Drops the answers. */
  readonly forget: () => void
  /** Drops the answers before an effect that may change the program. */
  readonly changing: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Makes the requests of one connection. */
export const make = ({ begin: run, flush, stack, threads }: Options): ReadAhead => {
  let listed: Deferred.Deferred<ReadonlyArray<Backend.Thread>, Backend.Failure> | undefined
  let page:
    | { readonly thread: number; readonly answer: Deferred.Deferred<Backend.Stack, Backend.Failure>; isUsed: boolean }
    | undefined
  /** Number of requests that have no answer yet. */
  let pending = 0

  const begin = <A>(request: Effect.Effect<A, Backend.Failure>) => {
    const answer = Deferred.makeUnsafe<A, Backend.Failure>()
    pending += 1
    const ended = Effect.sync(() => {
      pending -= 1
    })
    run(Effect.asVoid(Deferred.into(Effect.ensuring(request, ended), answer)))
    return answer
  }
  const forget = () => {
    listed = undefined
    page = undefined
  }

  return {
    start: (thread) => {
      forget()
      if (pending > 0) return
      listed = begin(threads)
      page = { thread, answer: begin(stack(thread, 0, frames)), isUsed: false }
      flush?.()
    },
    forget,
    changing: (effect) =>
      Effect.suspend(() => {
        forget()
        return effect
      }),
    threads: Effect.suspend(() => {
      const found = listed
      listed = undefined
      return found === undefined ? threads : Deferred.await(found)
    }),
    stack: (thread, start, count) =>
      Effect.suspend(() => {
        const found = page
        if (found?.thread !== thread || start !== 0 || count > frames) return stack(thread, start, count)
        if (count < frames) {
          return Effect.matchEffect(Deferred.await(found.answer), {
            onFailure: () => stack(thread, start, count),
            onSuccess: (all) => Effect.succeed(all.frames.length > count ? { frames: all.frames.slice(0, count) } : all)
          })
        }
        if (found.isUsed) return stack(thread, start, count)
        found.isUsed = true
        return Deferred.await(found.answer)
      })
  }
}
