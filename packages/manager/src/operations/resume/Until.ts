/**
 * The handler of `until` and `continue --to`: runs to a place by a temporary breakpoint.
 *
 * The breakpoint is removed before the answer, whatever the outcome. An existing breakpoint at that place stays. Without
 * waiting, the breakpoint is removed at the next stop, by a fiber in the scope of the session.
 */
import { Errors, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Launch } from "../../launch/Launch.ts"
import * as Corrections from "../../breakpoints/Corrections.ts"
import * as Resume from "./Resume.ts"
import type { Session } from "../../session/Session.ts"
import * as Status from "../sessions/Status.ts"
import * as TemporaryBreakpoints from "./TemporaryBreakpoints.ts"

type Payload = Omit<Operations.Payload<"until">, "session">

/** Runs to `at`. `reached` is true if the program stopped there. */
export const until = Effect.fnUntraced(function* (session: Session, payload: Payload, program: Launch["Service"]) {
  // Fails first if the program is not stopped.
  yield* session.view
  const { location } = yield* Status.status(session)
  const request = yield* program.breakpoint({
    text: payload.at,
    pending: false,
    ...(payload.directory === undefined ? {} : { directory: payload.directory }),
    ...(location === undefined ? {} : { here: location })
  })
  /** The resume, if its stop is not awaited. */
  let pending: number | undefined
  const remove = (id: number) => Effect.suspend(() => TemporaryBreakpoints.remove(session, id, pending))
  const withGuard = <A, E, R>(use: Effect.Effect<A, E, R>) =>
    payload.same_frame
      ? Effect.acquireUseRelease(
          TemporaryBreakpoints.atReturn(session, payload.thread),
          () => use,
          (id) => (id === undefined ? Effect.void : remove(id))
        )
      : use
  return yield* Effect.acquireUseRelease(
    session.breakpoints
      .add({ ...request, temporary: true, forUntil: true })
      .pipe(Effect.catchTag("BreakpointUnresolved", (error) => Effect.fail(Corrections.ofUntil(error, request)))),
    (breakpoint) =>
      Effect.gen(function* () {
        if (!breakpoint.resolved) {
          const reason = `breakpoint ${breakpoint.id} exists and is pending: its library is not loaded`
          return yield* new Errors.BreakpointUnresolved({ location: payload.at, reason, near: [] })
        }
        const manner = Resume.resumeOptions(payload)
        const token = yield* session.resume("continue", payload.thread, manner, payload.at_stop)
        if (!payload.wait) {
          pending = token
          return yield* Resume.outcome(session, payload, token)
        }
        const report = yield* Resume.outcome(session, payload, token)
        const { stopped } = report.at ?? session.log.snapshot
        const removed = session.removedBreakpoints().map(({ id }) => id)
        const hit = [...(stopped?.breakpoints ?? []), ...removed]
        const reached = report.data.event === "stopped" && hit.includes(breakpoint.id)
        return { ...report, data: { ...report.data, reached } }
      }),
    (breakpoint) => (breakpoint.existing === true ? Effect.void : remove(breakpoint.id))
  ).pipe(withGuard)
})
