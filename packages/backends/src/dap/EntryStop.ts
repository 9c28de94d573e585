/**
 * Corrects stops of an adapter whose stop at the entry point is a breakpoint at the first place of the file where the language
 * can stop. If that place is in a function, such as the fields of a class, it is reached after the first statements, and again
 * at each call.
 */
import { Requests, type Client } from "@sigtrap/dap"
import * as Effect from "effect/Effect"
import type { Translator } from "./events/Events.ts"
import type { Correction, StoppedBody } from "./stops/Stops.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly client: Client.Client
  readonly events: Pick<Translator, "pausing">
  /** The adapter's name. */
  readonly name: string
  /** Matches the names of frames in which the entry point is. */
  readonly entryFrame: RegExp
}

/** Makes `correctStop` of one connection. */
export const make = ({ client, entryFrame, events, name }: Options): Correction => {
  const isEntry = (threadId: number) =>
    client.request(Requests.StackTrace, { threadId, startFrame: 0, levels: 1 }).pipe(
      Effect.map(({ stackFrames }) => entryFrame.test(stackFrames[0]?.name ?? "")),
      Effect.orElseSucceed(() => true)
    )

  /** The first stop, which is not at the entry point if it is in a function. */
  const first = (body: StoppedBody, threadId: number) =>
    Effect.map(isEntry(threadId), (entry) =>
      entry
        ? body
        : {
            ...body,
            // The reports say why a stop of no other reason is one.
            reason: "other",
            description: `${name} cannot stop before the first statement of this file, which has run`
          }
    )

  /** A later stop at the same breakpoint, which no client set. */
  const again = (threadId: number) =>
    Effect.as(Effect.ignore(client.request(Requests.Continue, { threadId })), undefined)

  return (body, resumed) => {
    const { reason, threadId } = body
    if (reason !== "entry" || threadId === undefined) return undefined
    if (resumed === undefined) return first(body, threadId)
    if (events.pausing) return Effect.succeed({ ...body, reason: "pause" })
    return resumed === "continue" ? again(threadId) : Effect.succeed({ ...body, reason: "step" })
  }
}
