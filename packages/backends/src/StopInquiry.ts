/**
 * What some adapters leave out when they tell of a stop, asked for before the stop is passed on: which breakpoint it
 * was, or what kind of exception. The program stands still meanwhile.
 */
import { Requests, type Client, type Events } from "@sigtrap/dap"
import * as Effect from "effect/Effect"
import type { BreakpointIds } from "./BreakpointIds.ts"
import type { Quirks } from "./Quirks.ts"

/** A stop as an adapter tells it (DAP `stopped`). */
type Stopped = typeof Events.Stopped.body.Type

/** What is needed to ask. */
export interface Options {
  readonly client: Client.Client
  readonly ids: BreakpointIds
}

/** How long an answer may take; the stop is told without it then. */
const within = "2 seconds"

/** The stop with what was missing; nothing when nothing is to be asked. */
export const complete = (options: Options, body: Stopped, quirks: Quirks): Effect.Effect<Stopped> | undefined => {
  const { client, ids } = options
  const { threadId } = body
  if (threadId === undefined) return undefined
  const bare = body.description === undefined && body.text === undefined
  if (quirks.stopsWithoutText === true && body.reason === "exception" && bare) {
    return client.request(Requests.ExceptionInfo, { threadId }, { timeout: within }).pipe(
      Effect.map(({ description, exceptionId }) => {
        const text = description ?? exceptionId
        return text === undefined ? body : { ...body, description: text }
      }),
      Effect.orElseSucceed(() => body)
    )
  }
  if (quirks.stopsWithoutIds === true && body.reason === "breakpoint" && body.hitBreakpointIds.length === 0) {
    return client.request(Requests.StackTrace, { threadId, startFrame: 0, levels: 1 }, { timeout: within }).pipe(
      Effect.map(({ stackFrames }) => {
        const [frame] = stackFrames
        const file = frame?.source?.path
        return frame === undefined || file === undefined
          ? body
          : { ...body, hitBreakpointIds: [...body.hitBreakpointIds, ...ids.theirsAt(file, frame.line)] }
      }),
      Effect.orElseSucceed(() => body)
    )
  }
  return undefined
}
