/**
 * Reads the owner's rules for clients from the user's configuration file and the environment of this process.
 *
 * A project's file has no say. The file is read again at most once a second, so that a change applies without a new daemon; while
 * it has a mistake, the rules before it apply.
 */
import { ClientRules } from "@sigtrap/manager"
import { MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Config from "./Config.ts"

/** Time in which the file is read once, in milliseconds. */
const age = 1000

/** Makes the rules of an environment, which are read when they are needed. */
export const make = (environment: Config.Place["environment"]): Effect.Effect<Effect.Effect<ClientRules.ClientRules>> =>
  Effect.map(Semaphore.make(1), (reading) => {
    let latest = ClientRules.standard
    let readAt = -Infinity
    const read = Effect.gen(function* () {
      const now = yield* MonotonicTime.now
      if (now - readAt < age) return latest
      readAt = now
      const values = yield* Effect.result(Config.values({ directory: "/", environment }))
      if (Result.isSuccess(values)) latest = ClientRules.of(values.success)
      else yield* Effect.logWarning(`the rules for clients stay as they were: ${values.failure.message}`)
      return latest
    })
    // The first calls wait for the file instead of running without its rules.
    return reading.withPermits(1)(read)
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
