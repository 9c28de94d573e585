/**
 * The signals and failures that end a daemon. The first TERM or INT asks for an orderly end, the second ends the process
 * at once; HUP is ignored, since a daemon has no terminal to lose. A failure that nobody caught is recorded and ends the
 * daemon in the same orderly way.
 */
import * as Effect from "effect/Effect"

/** Why a daemon has to end. */
export type Ending = "asked" | "broken"

const nothing = () => {}

/** Completes at the first signal or failure. The handlers stay until the process ends, so that the second signal works. */
export const ending: Effect.Effect<Ending> = Effect.callback<{ readonly how: Ending; readonly why: string }>(
  (resume) => {
    let asked = false
    const end = (signal: string) => {
      if (asked) process.exit(1)
      asked = true
      resume(Effect.succeed({ how: "asked", why: signal }))
    }
    const broken = (error: unknown) => {
      asked = true
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
      resume(Effect.succeed({ how: "broken", why }))
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
  }
).pipe(
  Effect.tap(({ how, why }) =>
    how === "broken" ? Effect.logError(`a failure nobody caught: ${why}`) : Effect.logInfo(why)
  ),
  Effect.map(({ how }) => how)
)
