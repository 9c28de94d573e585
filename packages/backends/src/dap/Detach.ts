/**
 * Letting go of a program by a command of the debugger, where a disconnect would end it and only a program that stands
 * still can be let go: one that runs is paused first, and goes on afterwards by itself.
 */
import { Requests, type Client } from "@sigtrap/dap"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as DapEvents from "./Events.ts"

/** How long the pause may take. */
const within = "3 seconds"

/** Lets go; what fails is left to the disconnect that follows. */
export const byCommand = Effect.fnUntraced(function* (
  client: Client.Client,
  events: DapEvents.Context,
  command: string
): Effect.fn.Return<void> {
  const leave = client.request(Requests.Evaluate, { expression: command, context: "repl" }, { timeout: within })
  yield* leave.pipe(
    Effect.catch(
      Effect.fnUntraced(function* () {
        const stopped = yield* Deferred.make<void>()
        events.moved = stopped
        yield* client.request(Requests.Pause, { threadId: 0 }, { timeout: within })
        yield* Effect.timeoutOption(Deferred.await(stopped), within)
        yield* leave
      })
    ),
    Effect.ignore
  )
})
