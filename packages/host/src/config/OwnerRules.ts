/**
 * Reads the owner's rules for clients from the user's configuration file and the environment of this process.
 *
 * A project's file has no say. The file is read again at most once a second, so that a change applies without a new daemon; while
 * it has a mistake, the rules before it apply.
 */
import { ClientRules } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Config from "./Config.ts"

/** Time in which the file is read once. */
const age = "1 second"

/** Returns the rules of an environment, read when they are needed. */
export const make = (environment: Config.Place["environment"]): Effect.Effect<Effect.Effect<ClientRules.ClientRules>> =>
  Effect.suspend(() => {
    let latest = ClientRules.standard
    const read = Config.values({ directory: "/", environment }).pipe(
      Effect.map((values) => {
        latest = ClientRules.of(values)
        return latest
      }),
      Effect.catch((error) =>
        Effect.as(Effect.logWarning(`the rules for clients stay as they were: ${error.message}`), latest)
      )
    )
    return Effect.cachedWithTTL(read, age)
  })

/** The rules of the user who runs this process. */
export const layer: Layer.Layer<never> = Layer.effect(
  ClientRules.Current,
  Effect.suspend(() =>
    make(
      Object.fromEntries(
        Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
      )
    )
  )
)
