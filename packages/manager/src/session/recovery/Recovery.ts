/**
 * Replaces a lost session by one that attaches to its target or starts its program again, with its name, breakpoints and
 * history. After a failure the session is lost as before.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as IntentRequest from "../../launch/IntentRequest.ts"
import type { Request } from "../../model/BreakpointPlace.ts"
import type { LaunchFailure, LaunchRequest } from "../../ports/Backend.ts"
import type { RecordedBreakpoint } from "../../ports/Intent.ts"
import * as Session from "../Session.ts"
import type { SessionNames } from "../SessionNames.ts"

/** A recovered session. `before` are the breakpoints before; `watches` are those of them that are not set yet. */
export interface Recovered {
  readonly session: Session.Session
  /** Passed to `Session.outcome` to wait for the first stop. */
  readonly token: number
  readonly before: ReadonlyArray<RecordedBreakpoint>
  readonly watches: ReadonlyArray<RecordedBreakpoint>
}

/** Failures of recovering a session. */
export type RecoverFailure =
  | LaunchFailure
  | Errors.InvalidState
  | Errors.BreakpointUnresolved
  | Errors.Policy
  | Errors.TierRequired

/** The manager of the session. */
export interface Owner {
  readonly names: SessionNames
  readonly lifetime: Scope.Scope
  readonly recording: IntentRequest.Services
  /** The breakpoint of a program that stops at main. */
  readonly atMain: Request
}

/** Returns the options of a session that continues an ended one. */
export const continued = (session: Session.Session, launch: LaunchRequest): Session.Options => ({
  name: session.name,
  launch,
  stopAtMain: session.stopAtMain,
  policy: session.policy,
  sourceRoots: session.sourceRoots,
  ttl: session.idle.millis,
  restarts: session,
  ...(session.request === undefined ? {} : { request: session.request }),
  ...(session.beganBy === undefined ? {} : { beganBy: session.beganBy }),
  ...(session.label === undefined ? {} : { label: session.label })
})

/** Recovers a lost session with these breakpoints. */
export const recover = Effect.fn("Recovery.recover")(function* (
  { atMain, lifetime, names, recording }: Owner,
  lost: Session.Session,
  launch: LaunchRequest,
  wanted: ReadonlyArray<RecordedBreakpoint>
) {
  const { breakpoints, name, stopAtMain } = lost
  const before = breakpoints.recorded()
  const last = breakpoints.last()
  const request = yield* IntentRequest.ofRestart(lost.request, launch, recording)
  const options = { ...continued(lost, launch), ...(request === undefined ? {} : { request }) }
  // The session is checked and replaced in one step, because another call may have recovered it meanwhile.
  if (names.get(name) !== lost || lost.log.snapshot.state !== "lost") {
    return yield* new Errors.InvalidState({ problem: `session ${name} is not lost` })
  }
  const session = yield* Session.make(options, lifetime)
  names.set(session)
  breakpoints.adopt(wanted, last)
  const watches = wanted.filter(({ place }) => place.kind === "watch")
  session.intent.hold(watches.map(({ model }) => model.id))

  const loseAgain = Effect.gen(function* () {
    // The next session of this name has the same records.
    yield* session.closed
    breakpoints.adopt(before, last)
    const reason = lost.log.snapshot.reason ?? "the debugger is gone"
    const again = yield* Session.make({ ...continued(lost, lost.launch), lost: reason }, lifetime)
    names.set(again)
    again.intent.hold([])
  })
  const stops = launch.existing === undefined && (stopAtMain || watches.length > 0)
  const token = yield* session
    .start(
      Effect.andThen(
        session.breakpoints.recover,
        stops ? Effect.asVoid(session.breakpoints.add({ ...atMain, pending: true })) : Effect.void
      )
    )
    .pipe(Effect.onError(() => loseAgain))
  const recovered: Recovered = { session, token, watches, before }
  return recovered
})
