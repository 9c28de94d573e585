/**
 * Options of resuming operations: breakpoints that are set and removed before, expressions that are evaluated after.
 *
 * The program is not resumed if a breakpoint cannot be set or does not exist.
 */
import { Effects, type Breakpoint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Policy from "../../model/permissions/Policy.ts"
import * as StopActions from "../../session/stops/StopActions.ts"
import { currentLocation } from "../breakpoints/Breakpoints.ts"
import * as BreakpointSelector from "../breakpoints/BreakpointSelector.ts"
import type { Launch } from "../../launch/Launch.ts"
import type { Report } from "../stops/StopReport.ts"
import type { Session } from "../../session/Session.ts"
import { requireStop } from "../../session/StateChecks.ts"

/** Options of a resuming operation. */
export interface ResumeOptions {
  readonly break: ReadonlyArray<string>
  readonly remove_break: ReadonlyArray<Breakpoint.Selector>
  readonly eval: ReadonlyArray<string>
  readonly at_stop?: number
  readonly directory?: string
}

const before = Effect.fnUntraced(function* (session: Session, options: ResumeOptions, program: Launch["Service"]) {
  if (options.eval.length > 0) {
    yield* Policy.check(session.policy, Effects.ofValue("eval", "eval", options.eval), yield* session.connection)
  }
  if (options.break.length === 0 && options.remove_break.length === 0) return
  // Fails first if the program is not stopped, or not at the stop that the caller saw.
  if (!session.isLoaded()) {
    yield* requireStop(session.log, options.at_stop)
    yield* session.view
  }
  const removed = yield* BreakpointSelector.ids(session, options.remove_break, program, options.directory)
  yield* Effect.forEach(removed, session.breakpoints.find)
  const place = yield* currentLocation(session)
  const requests = yield* Effect.forEach(options.break, (text) =>
    program.breakpoint({
      text,
      pending: false,
      ...(options.directory === undefined ? {} : { directory: options.directory }),
      ...place
    })
  )
  const known = session.breakpoints.list().map(({ id }) => id)
  const removeAdded = Effect.suspend(() =>
    session.breakpoints.remove(
      session.breakpoints
        .list()
        .map(({ id }) => id)
        .filter((id) => !known.includes(id))
    )
  )
  yield* session.breakpoints.addAll(requests).pipe(Effect.tapError(() => Effect.ignore(removeAdded)))
  if (removed.length > 0) yield* session.breakpoints.remove(removed)
})

const after = Effect.fnUntraced(function* <R extends Report>(session: Session, options: ResumeOptions, report: R) {
  if (options.eval.length === 0 || report.data.event !== "stopped" || report.data.moved_on !== undefined) return report
  const view = yield* session.view
  const found = yield* StopActions.evaluations(view, report.data.thread?.id, options.eval, "caller")
  return { ...report, data: { ...report.data, evaluations: [...(report.data.evaluations ?? []), ...found] } }
})

/** Runs a resume with its options. */
export const withOptions = <R extends Report, E, C>(
  session: Session,
  options: ResumeOptions,
  program: Launch["Service"],
  resume: Effect.Effect<R, E, C>
) =>
  before(session, options, program).pipe(
    Effect.andThen(resume),
    Effect.flatMap((report) =>
      // Another client resumed it meanwhile. The report is answered without the values.
      after(session, options, report).pipe(Effect.catch(() => Effect.succeed(report)))
    )
  )
