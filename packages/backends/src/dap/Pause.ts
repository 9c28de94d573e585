/**
 * Pauses the program (DAP `pause`). A program that waits for events stops only when it runs code, so a second pause evaluates an
 * expression. A program that passes logpoints of an adapter that loses pauses gets SIGSTOP first.
 */
import { type Client, Requests } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Quirks } from "../adapters/Quirks.ts"
import type { StuckCall } from "../process/StuckCall.ts"
import type * as Console from "./Console.ts"
import type { Translator } from "./events/Events.ts"

/** The parts of a connection that this module uses. */
export interface Options extends Pick<Console.Options, "failed"> {
  readonly client: Client.Client
  readonly events: Translator
  readonly quirks: Quirks
  readonly stuckCall: StuckCall
  /** Runs an effect in the background. */
  readonly fork: (effect: Effect.Effect<void>) => void
}

/** Makes the request that pauses the program. */
export const make = ({
  client,
  events,
  failed,
  fork,
  quirks: { idleExpression, losesPauses },
  stuckCall
}: Options): Backend.Connection["pause"] =>
  Effect.suspend(() => {
    const again = events.pause()
    const request = client.request(Requests.Pause, { threadId: 0 }).pipe(Effect.mapError(failed), Effect.asVoid)
    const pause = losesPauses === true ? stuckCall.pausing(request) : request
    if (!again && losesPauses === true && stuckCall.hasLogged()) {
      return Effect.flatMap(stuckCall.signalPause, (isSent) => (isSent ? Effect.void : pause))
    }
    if (!again || idleExpression === undefined) return pause
    // It is answered when the program is resumed.
    const run = client.request(Requests.Evaluate, { expression: idleExpression, context: "repl" }, { timeout: "1 day" })
    return Effect.andThen(
      pause,
      Effect.sync(() => fork(Effect.ignore(run)))
    )
  })
