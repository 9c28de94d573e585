/**
 * Threads and stacks of a debug adapter.
 */
import { type Arguments, Requests, type Client, type Errors as Dap } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Quirks } from "../adapters/Quirks.ts"
import type { Translator } from "./events/Events.ts"
import * as DapFrames from "./Frames.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly client: Client.Client
  readonly events: Translator
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  readonly quirks: Quirks
  /** True if a thread runs although the program is reported stopped. */
  readonly runs?: (thread: number) => boolean
}

/** The threads and stacks of one connection. */
export interface Stacks {
  readonly threads: Backend.Connection["threads"]
  readonly stack: Backend.Connection["stack"]
  /** Requests the stacks of this stop again. Some adapters drop frames when an expression calls a function. */
  readonly restore: Effect.Effect<void>
  /** Forgets the requested stacks; called when the program resumes. */
  readonly forget: () => void
}

/** Makes the threads and stacks of one connection. */
export const make = ({ client, events, failed, quirks, runs }: Options): Stacks => {
  let requested: ReadonlyArray<Arguments.StackTrace> = []
  let isListCurrent = quirks.staleThreads !== true
  const requestThreads = client.request(Requests.Threads)

  const requestStack = (page: Arguments.StackTrace) => {
    if (quirks.callStopReason !== undefined) requested = [...requested, page]
    return client.request(Requests.StackTrace, page)
  }

  return {
    threads: Effect.suspend(() => {
      if (isListCurrent || !events.stopped) return requestThreads
      isListCurrent = true
      return Effect.andThen(requestThreads, requestThreads)
    }).pipe(
      Effect.mapError(failed),
      Effect.map((body) =>
        body.threads.map((thread): Backend.Thread => ({
          ...DapFrames.threadOf(thread, quirks),
          ...(runs?.(thread.id) === true ? { running: true } : {})
        }))
      )
    ),

    stack: (thread, start, count) =>
      requestStack({ threadId: thread, startFrame: start, levels: count }).pipe(
        Effect.mapError(failed),
        Effect.catchIf(
          (error) => error._tag === "AdapterError" && quirks.noStackYet?.test(error.detail) === true,
          () => Effect.succeed<Requests.StackTraceBody>({ stackFrames: [], totalFrames: 0 })
        ),
        Effect.map((body): Backend.Stack => {
          const read = body.stackFrames.map((frame) => DapFrames.frameOf(frame, quirks))
          const frames = start === 0 ? DapFrames.namedIdle(read, quirks) : read
          // A page with fewer frames than requested is the last one. Otherwise the total may be an estimate.
          const end = start + frames.length
          const known = body.after === undefined ? body.totalFrames : end + body.after
          const isKnown = quirks.exactTotals === true || body.after !== undefined
          const total = frames.length < count ? end : isKnown ? known : undefined
          return total === undefined ? { frames } : { frames, total }
        })
      ),

    restore: Effect.suspend(() =>
      Effect.ignore(Effect.forEach(requested, (page) => client.request(Requests.StackTrace, page)))
    ),
    forget: () => {
      requested = []
    }
  }
}
