/**
 * Corrects stops of an adapter before they are reported: completes a step into a function up to its body, and resumes after
 * the program has loaded libraries.
 */
import { Requests, type Client } from "@sigtrap/dap"
import * as Effect from "effect/Effect"
import type { StepEnds, Prologues } from "../console/Dialect.ts"
import type { Translator } from "./events/Events.ts"
import type { Correction, StoppedBody } from "./stops/Stops.ts"

/** What correcting a stop needs of a connection. */
export interface Options {
  readonly client: Client.Client
  readonly events: Translator
  readonly prologues: Prologues
  readonly stepEnds: StepEnds | undefined
}

/** Makes `correctStop` of one connection. */
export const make = ({ client, events, prologues, stepEnds }: Options): Correction => {
  const afterLoading = Effect.fnUntraced(function* (body: StoppedBody) {
    const alone = yield* prologues.loaded.pipe(Effect.orElseSucceed(() => true))
    // The adapter reports the stops of the other threads.
    if (!alone) return undefined
    if (events.pausing) {
      const { description: _, text: __, ...rest } = body
      return { ...rest, reason: "pause", hitBreakpointIds: [] }
    }
    yield* Effect.ignore(client.request(Requests.Continue, { threadId: body.threadId ?? 0 }))
    return undefined
  })

  const afterStep = (body: StoppedBody, thread: number) =>
    prologues.completeStep(thread).pipe(
      Effect.orElseSucceed(() => false),
      Effect.map((resumed) => (resumed ? undefined : body))
    )

  /** A stop at a breakpoint during a step. */
  const afterLanding = (body: StoppedBody) => {
    const landed = stepEnds?.landed(body.hitBreakpointIds)
    return landed === undefined
      ? undefined
      : Effect.map(landed, (reason) =>
          reason === undefined ? body : { ...body, reason, description: reason, hitBreakpointIds: [] }
        )
  }

  return (body, resumed) => {
    const { description, hitBreakpointIds, preserveFocusHint, reason, text, threadId } = body
    if (reason === "breakpoint" || reason === "exception") {
      if (prologues.isLibraryStop(hitBreakpointIds, description ?? text)) return afterLoading(body)
      return resumed === undefined || resumed === "continue" ? undefined : afterLanding(body)
    }
    const stepped = reason === "step" && resumed === "step" && preserveFocusHint !== true
    return stepped && threadId !== undefined ? afterStep(body, threadId) : undefined
  }
}
