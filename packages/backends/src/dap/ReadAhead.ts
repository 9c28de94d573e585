/**
 * Requests the threads and the innermost frames of a stop as soon as it is recorded, while those who wait for it wake up. A
 * report then begins with answers that are on their way. If the caller of the resume reports the locals, they are requested
 * too, for the frame id that the innermost frame of the thread had at an earlier stop.
 *
 * Each answer is used once, for the same question; the frames also for questions about fewer of them. The locals are those of
 * this stop and of the frame with that id, so they answer a question about the frame that the stack of this stop calls so. What may
 * change the stopped program drops the answers. Nothing is requested for a stop that comes while requests of an earlier one are
 * pending: a debugger that reports stops faster than it answers would otherwise have ever more of them.
 */
import type { Backend } from "@sigtrap/manager"
import { CallRequests, type Stop } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** Number of frames that a report reads first. */
const frames = 20

/** Reasons of stops whose report shows the innermost frame. */
const innermost: ReadonlySet<Stop.StopReason> = new Set<Stop.StopReason>(["step", "breakpoint", "finish"])

/** The parts of a connection that this module uses. */
export interface Options extends Pick<Backend.Connection, "threads" | "stack" | "locals"> {
  /** The innermost frame of a thread has the same id at each stop. */
  readonly recurs: boolean
  /** Runs an effect in the background, up to its first wait at once. */
  readonly begin: (effect: Effect.Effect<void>) => void
  /** Writes the requests at once: the debugger answers while those who wait for the stop run. */
  readonly flush?: (() => void) | undefined
}

/** The requests of one connection with answers that were read ahead. */
export interface ReadAhead extends Pick<Backend.Connection, "threads" | "stack" | "locals"> {
  /** Records whether the caller of a resume reports the locals of its stop. Drops the answers. */
  readonly resuming: (manner: Backend.ResumeOptions) => void
  /** Drops the answers for an earlier stop, and sends the requests if none is pending. */
  readonly start: (thread: number, reason: Stop.StopReason) => void
  /** Drops the answers. */
  readonly forget: () => void
  /** Drops the answers before an effect that may change the program. */
  readonly changing: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** The answer to a request that was sent ahead. */
interface Answer<A> {
  readonly requests: CallRequests.CallRequests
  readonly answer: Deferred.Deferred<A, Backend.Failure>
}

/** Awaits an answer; the caller awaits the requests that it needs. */
const awaited = <A>({ answer, requests }: Answer<A>) => CallRequests.noted(requests, Deferred.await(answer))

/** Requests again what failed, unless the debugger did not answer. */
const orAgain = <A>(answer: Answer<A>, again: () => Effect.Effect<A, Backend.Failure>) =>
  Effect.catch(awaited(answer), (error) => (error._tag === "RequestTimeout" ? Effect.fail(error) : again()))

/** Makes the requests of one connection. */
export const make = ({ begin: run, flush, locals, recurs, stack, threads }: Options): ReadAhead => {
  let listed: Answer<ReadonlyArray<Backend.Thread>> | undefined
  let page: { readonly thread: number; readonly answer: Answer<Backend.Stack>; isUsed: boolean } | undefined
  let variables: { readonly frame: number; readonly answer: Answer<ReadonlyArray<Backend.Value>> } | undefined
  /** The id of the innermost frame of the thread whose stack was read last. */
  let last: { readonly thread: number; readonly frame: number } | undefined
  /** The caller of the latest resume reports the locals. */
  let isReported = false
  /** Number of requests that have no answer yet. */
  let pending = 0

  const read: Backend.Connection["stack"] = (thread, start, count) =>
    Effect.tap(stack(thread, start, count), ({ frames: [first] }) =>
      Effect.sync(() => {
        if (start === 0 && first !== undefined) last = { thread, frame: first.handle }
      })
    )

  const begin = <A>(request: Effect.Effect<A, Backend.Failure>): Answer<A> => {
    const requests = CallRequests.make(undefined)
    const answer = Deferred.makeUnsafe<A, Backend.Failure>()
    pending += 1
    const ended = Effect.sync(() => {
      pending -= 1
    })
    const known = Effect.provideService(request, CallRequests.Current, requests)
    run(Effect.asVoid(Deferred.into(Effect.ensuring(known, ended), answer)))
    return { requests, answer }
  }
  const forget = () => {
    listed = undefined
    page = undefined
    variables = undefined
  }

  return {
    resuming: (manner) => {
      forget()
      isReported = manner.locals === true
    },
    start: (thread, reason) => {
      forget()
      if (pending > 0) return
      const frame = recurs && isReported && innermost.has(reason) && last?.thread === thread ? last.frame : undefined
      listed = begin(threads)
      page = { thread, answer: begin(read(thread, 0, frames)), isUsed: false }
      if (frame !== undefined) variables = { frame, answer: begin(locals(frame)) }
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
      return found === undefined ? threads : awaited(found)
    }),
    stack: (thread, start, count) =>
      Effect.suspend(() => {
        const found = page
        if (found?.thread !== thread || start !== 0 || count > frames) return read(thread, start, count)
        if (count < frames) {
          return Effect.map(
            orAgain(found.answer, () => read(thread, start, count)),
            (all) => (all.frames.length > count ? { frames: all.frames.slice(0, count) } : all)
          )
        }
        if (found.isUsed) return read(thread, start, count)
        found.isUsed = true
        return awaited(found.answer)
      }),
    locals: (frame) =>
      Effect.suspend(() => {
        const found = variables
        if (found?.frame !== frame) return locals(frame)
        variables = undefined
        return orAgain(found.answer, () => locals(frame))
      })
  }
}
