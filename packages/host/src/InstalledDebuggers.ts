/**
 * The debuggers that sessions of this process use if their caller has no environment, such as the page.
 *
 * Their versions are asked in child processes with a timeout. An answer is used for a moment, so that a client that asks again and
 * again starts no processes each time.
 */
import { Debuggers } from "@sigtrap/manager"
import { MonotonicTime, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type * as Adapters from "./Adapters.ts"
import * as Config from "./config/Config.ts"
import * as LoadedCode from "./runtime/LoadedCode.ts"

/** Time in which debuggers are searched once, in milliseconds. */
const age = 5000

/** Loads what knows the adapters, when they are searched for the first time. */
const adapters = Effect.promise(() => LoadedCode.load(() => import("./Adapters.ts")))

/** Returns the effect that finds the debuggers of an environment; by default on this machine. */
export const make = (
  environment: Config.Place["environment"],
  discover?: typeof Adapters.discover
): Effect.Effect<Effect.Effect<ReadonlyArray<Operations.InstalledDebugger>>> =>
  Effect.map(Semaphore.make(1), (searching) => {
    let latest: ReadonlyArray<Operations.InstalledDebugger> = []
    let foundAt = -Infinity
    const search = Effect.gen(function* () {
      if ((yield* MonotonicTime.now) - foundAt < age) return latest
      // A configuration with a mistake describes no debuggers.
      const settings = yield* Effect.orElseSucceed(Config.values({ directory: "/", environment }), () => ({}))
      const known = yield* adapters
      const find = discover ?? known.discover
      const found = yield* find(known.withConfiguredPaths(environment, settings), settings)
      latest = found.map(known.described)
      foundAt = yield* MonotonicTime.now
      return latest
    })
    return searching.withPermits(1)(search)
  })

/** The debuggers that this process finds. */
export const layer: Layer.Layer<never> = Layer.effect(
  Debuggers.Debuggers,
  Effect.suspend(() =>
    make(
      Object.fromEntries(
        Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
      )
    )
  )
)
