/**
 * The handler of each operation. Those that answer without a session are here. The code of the others is a quarter of the daemon's:
 * it is loaded at the first call of one of them, because a daemon has to load its code before it answers the command that starts it.
 */
import { Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { LoadedHandlers } from "./operations/LoadedHandlers.ts"
import * as Calls from "./operations/Calls.ts"
import * as Consent from "./operations/Consent.ts"
import * as Sessions from "./operations/Sessions.ts"
import * as Status from "./operations/Status.ts"
import { CodeLoading, type Load } from "./ports/CodeLoading.ts"

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

/** Returns the handlers that load those of the same names at the first call. A failure to load is a defect of that call only. */
const loading = (calls: Calls.Calls, load: Load): LoadedHandlers => {
  let loaded: LoadedHandlers | undefined
  const begin = Effect.map(
    Effect.promise(() => load(() => import("./operations/LoadedHandlers.ts"))),
    ({ make }) => (loaded ??= make(calls))
  )
  const call = (handlers: LoadedHandlers, tag: keyof LoadedHandlers, payload: unknown) => {
    // Loses the types of one handler, whose payload its own schema decoded.
    const handle = handlers[tag] as (payload: unknown) => Effect.Effect<unknown, unknown>
    return handle(payload)
  }
  const tags = Operations.all
    .map(({ _tag }) => _tag)
    .filter((tag) => Operations.isTag(tag) && tag !== "status" && tag !== "sessions")
  const entries = tags.map((tag): ReadonlyArray<unknown> => [
    tag,
    (payload: unknown) =>
      loaded === undefined
        ? Effect.flatMap(begin, (handlers) => call(handlers, tag, payload))
        : call(loaded, tag, payload)
  ])
  return Object.fromEntries(entries)
}

/** The handlers of all operations. */
export const make = Effect.map(Effect.all([Calls.make, CodeLoading]), ([calls, load]): Operations.Handlers => ({
  ...loading(calls, load),
  ...early(calls)
}))
