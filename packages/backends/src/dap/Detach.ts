/**
 * Detaches from a program by a command of the debugger, for adapters whose `disconnect` would kill it. The command needs a
 * stopped program, so a running one is paused first; it runs on after the detach.
 */
import { Requests, type Client } from "@sigtrap/dap"
import * as Effect from "effect/Effect"
import type { Translator } from "./Events.ts"

/** Timeout of the pause and of the command. */
const timeout = "3 seconds"

/** Detaches. A failure is ignored, since a disconnect follows. */
export const byCommand = (client: Client.Client, events: Translator, command: string): Effect.Effect<void> => {
  const detach = client.request(Requests.Evaluate, { expression: command, context: "repl" }, { timeout })
  return detach.pipe(
    Effect.catch(
      Effect.fnUntraced(function* () {
        const movement = events.watchMovement()
        yield* client.request(Requests.Pause, { threadId: 0 }, { timeout })
        yield* Effect.timeoutOption(movement.moved, timeout)
        return yield* detach
      })
    ),
    Effect.ignore
  )
}
