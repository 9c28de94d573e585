/**
 * Detaches from a program with a debugger command, for adapters whose `disconnect` (DAP) would kill it. The command needs a
 * stopped program, so a running program is paused first. The program runs after the detach.
 */
import { Requests, type Client } from "@sigtrap/dap"
import * as Effect from "effect/Effect"
import type { Translator } from "./events/Events.ts"

/** Timeout of the pause and of the command. */
const timeout = "3 seconds"

/** Detaches. Ignores failures, since the caller sends `disconnect` afterwards. */
export const byCommand = (client: Client.Client, events: Translator, command: string): Effect.Effect<void> => {
  const detach = client.request(Requests.Evaluate, { expression: command, context: "repl" }, { timeout })
  const paused = Effect.gen(function* () {
    const stateChange = events.awaitStateChange()
    yield* client.request(Requests.Pause, { threadId: 0 }, { timeout })
    yield* Effect.timeoutOption(stateChange.happened, timeout)
    return yield* detach
  })
  // GDB 16 hangs if the command arrives right after `continue` (DAP), before it knows that the program runs.
  return Effect.ignore(events.stopped ? Effect.catch(detach, () => paused) : paused)
}
