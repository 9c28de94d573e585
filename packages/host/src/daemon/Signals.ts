/**
 * The signals and failures that shut a daemon down. The first SIGTERM or SIGINT shuts it down in order, the second exits
 * at once; SIGHUP is ignored. An uncaught failure is logged and shuts the daemon down in order.
 */
import * as Effect from "effect/Effect"

/** Why a daemon shuts down: a signal, or an uncaught failure. */
export type Reason = "signal" | "broken"

const nothing = () => {}

/**
 * Completes at the first signal or failure, after calling `begin`. The handlers stay until the fiber ends, so that a second
 * signal exits.
 */
export const shutdown = (begin: () => void): Effect.Effect<Reason> =>
  Effect.callback<{ readonly reason: Reason; readonly detail: string }>((resume) => {
    let resumed = false
    const end = (signal: string) => {
      if (resumed) process.exit(1)
      resumed = true
      begin()
      resume(Effect.succeed({ reason: "signal", detail: signal }))
    }
    const broken = (error: unknown) => {
      resumed = true
      begin()
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
      resume(Effect.succeed({ reason: "broken", detail }))
    }
    process.on("SIGTERM", end)
    process.on("SIGINT", end)
    process.on("SIGHUP", nothing)
    process.on("uncaughtException", broken)
    process.on("unhandledRejection", broken)
    return Effect.sync(() => {
      process.off("SIGTERM", end)
      process.off("SIGINT", end)
      process.off("SIGHUP", nothing)
      process.off("uncaughtException", broken)
      process.off("unhandledRejection", broken)
    })
  }).pipe(
    Effect.tap(({ detail, reason }) =>
      reason === "broken" ? Effect.logError(`uncaught failure: ${detail}`) : Effect.logInfo(detail)
    ),
    Effect.map(({ reason }) => reason)
  )
