/**
 * Sessions of held runs: a debugger takes over the process of a run that failed, or that had not ended when the time was up.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { LaunchRequest } from "../../ports/Backend.ts"
import type { SessionOptions } from "../../session/Manager.ts"
import type { Calls } from "../Calls.ts"
import * as Resume from "../resume/Resume.ts"
import type { Report } from "../stops/StopReport.ts"
import type { Held } from "./HeldRuns.ts"
import * as HangReport from "./HangReport.ts"
import type { ThreadActivity } from "../waits/ThreadActivity.ts"

/** A run that hangs, with what its threads did before it was stopped, if that is known. */
export interface Hanging {
  readonly activity?: ThreadActivity | undefined
}

/** Timeout of the stop of a session that takes over a failed run. */
const handoverTimeout = "30s"

/** What makes sessions of the runs of a hunt. */
export interface Options {
  readonly hunt: { readonly name: string; readonly payload: Operations.Payload<"run"> }
  readonly launch: LaunchRequest
  readonly session: SessionOptions
  /** True if the name of the hunt belongs to a failure that is kept. */
  readonly isNameTaken: () => boolean
}

/** Restores the interruptibility of the caller. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Returns what makes a session of a held run. Beside the failure that is kept, it has a name of its own for its short life. An
 * interruption ends the session.
 */
export const make = (
  { hunt, isNameTaken, launch, session: options }: Options,
  { manager, processes, within }: Pick<Calls, "manager" | "processes" | "within">
) => {
  const takeOver = Effect.fnUntraced(function* (held: Held, n: number, hanging: Hanging | undefined, restore: Restore) {
    const { payload } = hunt
    const begin = (session: string, replace: boolean) =>
      restore(manager.begin({ ...launch, held, stopOnEntry: false }, { ...options, session, replace }))
    const another = begin(`${hunt.name}-${n}`, true)
    // Another client may have taken the name during the runs.
    const named = begin(hunt.name, payload.replace === true).pipe(Effect.catchTag("SessionExists", () => another))
    const started = yield* isNameTaken() ? another : named
    const size = { context: payload.context, lines: payload.lines, wait: true, timeout: handoverTimeout }
    let report: Report | undefined
    yield* restore(
      within(started.session, (session) =>
        Effect.gen(function* () {
          const found = yield* Resume.outcome(session, size, started.token)
          report =
            hanging === undefined ? found : yield* HangReport.explained(session, found, { processes }, hanging.activity)
          return report
        })
      )
    ).pipe(Effect.onError(() => manager.end(started.session)))
    return { session: started.session, report: report ?? { data: { event: "running" as const }, truncated: [] } }
  })

  /** Returns where a run is and what it waits for, and ends it; undefined if that is not known after `millis`. Not to be interrupted. */
  const explainedEnd = (held: Held, n: number, hanging: Hanging, millis: number, restore: Restore) =>
    takeOver(held, n, hanging, restore).pipe(
      Effect.flatMap(({ report, session }) => Effect.as(manager.end(session), report)),
      Effect.timeoutOption(millis),
      Effect.exit,
      Effect.flatMap((exit) => {
        const report = Exit.isSuccess(exit) && exit.value._tag === "Some" ? exit.value.value : undefined
        // A debugger that could not take the process over leaves it.
        const ended = report === undefined ? held.release("kill") : Effect.void
        return Effect.as(ended, report?.data.event === "stopped" ? report : undefined)
      })
    )

  return { takeOver, explainedEnd }
}
