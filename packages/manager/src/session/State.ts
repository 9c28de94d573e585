/**
 * What the state of a session means to those who ask something of it: whether a resume is settled, why there is no
 * debugger to be asked, which breakpoints the newest event adds to the hits of its stop.
 */
import { Errors, Session as Model, type Snapshot } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Failure, LaunchRequest } from "../ports/Backend.ts"

/** Whether a snapshot shows a stop or an end that came after the resume of `token`. */
export const settledAfter = (token: number) => (snapshot: Snapshot.Snapshot) =>
  !Model.isLive(snapshot.state) || (snapshot.state === "stopped" && snapshot.resumes >= token)

/** Why a session has no debugger. */
export const gone = (snapshot: Snapshot.Snapshot): Failure => {
  if (snapshot.state === "lost") return new Errors.SessionLost({ reason: snapshot.reason ?? "the debugger is gone" })
  if (snapshot.state === "exited" || snapshot.state === "terminated") {
    return new Errors.ProcessEnded({
      ...(snapshot.exit_code === undefined ? {} : { exit_code: snapshot.exit_code }),
      ...(snapshot.signal === undefined ? {} : { signal: snapshot.signal })
    })
  }
  return new Errors.NotRunning({})
}

/** Fails where there is nothing that could run. */
export const runsNothing = (launch: LaunchRequest): Effect.Effect<void, Errors.InvalidState> =>
  launch.existing?.kind === "core"
    ? Effect.fail(new Errors.InvalidState({ problem: "this is a core file: it can be read, nothing in it runs" }))
    : Effect.void

/** Breakpoints that a stop event hit for the first time in its stop; several threads may report the same one. */
export const hitsOf = (ids: ReadonlyArray<number>, after: Snapshot.Snapshot, before: Snapshot.Snapshot) =>
  after.stop !== before.stop ? ids : ids.filter((id) => before.stopped?.breakpoints.includes(id) !== true)

/** What an effect completes with, or nothing after so many milliseconds; `Infinity` waits for ever. */
export const within =
  (millis: number) =>
  <A>(effect: Effect.Effect<A>): Effect.Effect<Option.Option<A>> =>
    Number.isFinite(millis) ? Effect.timeoutOption(effect, millis) : Effect.map(effect, Option.some)
