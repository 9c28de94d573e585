/**
 * Runs a program until it fails and records values. The first run has a debugger, which learns at its first two passes of each place
 * where the values are. The others are traced by the client of a debug server, if it can read all values; else each has a debugger.
 */
import * as Effect from "effect/Effect"
import type { StartPayload } from "../../launch/Launch.ts"
import type { LaunchRequest } from "../../ports/Backend.ts"
import type { ProgramRuns } from "../../ports/ProgramRuns.ts"
import type { Calls } from "../Calls.ts"
import * as Hunt from "./Hunt.ts"
import * as RestartHunt from "./RestartHunt.ts"

/** What a search needs to run the program without a debugger. */
interface Program {
  readonly start: StartPayload
  readonly launch: LaunchRequest
  readonly runs: ProgramRuns
}

/** Says why the records are not by a debug server. */
const withReason = (found: Hunt.Found, reason: string): Hunt.Found =>
  found.trace === undefined ? found : { ...found, trace: { ...found.trace, reason } }

/** Runs a program until it fails. */
export const search = Effect.fn("TracedHunt.search")(function* (
  hunt: Hunt.Hunt,
  { launch, runs, start }: Program,
  calls: Calls
) {
  if (hunt.payload.all) {
    return withReason(yield* RestartHunt.search(hunt, start, calls), "all runs are counted")
  }
  const first: Effect.Success<ReturnType<typeof RestartHunt.search>> = yield* RestartHunt.search(hunt, start, calls, {
    from: 1,
    to: 1,
    learns: true
  })
  const { traced } = first
  if (first.outcome !== "passed" || hunt.runs === 1) return first
  const { learned, points = [] } = traced ?? {}
  if (learned === undefined || "refused" in learned) {
    const found = yield* RestartHunt.search(hunt, start, calls, { from: 2, to: hunt.runs })
    return learned === undefined ? found : withReason(found, learned.refused)
  }
  hunt.count.note({ by: runs.by })
  const others = { from: 2, points, places: learned.points }
  return yield* Hunt.search(hunt, runs, launch, calls, { ...start, session: hunt.name }, others)
})
