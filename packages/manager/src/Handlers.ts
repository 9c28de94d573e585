/**
 * The handler of each operation. Those that answer without a session are here. The code of the others is a quarter of the daemon's:
 * it is loaded at the first call of one of them, because a daemon has to load its code before it answers the command that starts it.
 */
import type { Client, Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { LoadedHandlers } from "./operations/LoadedHandlers.ts"
import * as Calls from "./operations/Calls.ts"
import * as Consent from "./operations/Consent.ts"
import * as Sessions from "./operations/sessions/Sessions.ts"
import * as Status from "./operations/sessions/Status.ts"
import { CodeLoading } from "./ports/CodeLoading.ts"

/** Returns the wrapper that asks a person for what a call lacks. */
export const consented = Consent.around

const early = ({ manager, on }: Calls.Calls) =>
  ({
    status: (payload) =>
      on(payload, (found) => Effect.map(Status.status(found, payload.capabilities), (data) => ({ data }))).pipe(
        Effect.catchTag("NoSession", () => Effect.succeed(Calls.withoutSession(Status.none)))
      ),
    sessions: (payload) => Effect.map(Sessions.list(manager, payload), Calls.withoutSession)
  }) satisfies Partial<Operations.Handlers>

/**
 * The handlers with the one of an operation. Those that are not here are loaded at the first call of one of them. A failure to load
 * them is a defect of that call only.
 */
export const make = Effect.map(Effect.all([Calls.make, CodeLoading]), ([calls, load]): Client.HandlersWith => {
  const here = early(calls)
  let loaded: LoadedHandlers | undefined
  const others = Effect.suspend(() =>
    loaded === undefined
      ? Effect.map(
          Effect.promise(() => load(() => import("./operations/LoadedHandlers.ts"))),
          ({ make: ofCalls }) => (loaded ??= ofCalls(calls))
        )
      : Effect.succeed(loaded)
  )
  return (tag) => (tag in here ? Effect.succeed(here) : others)
})
