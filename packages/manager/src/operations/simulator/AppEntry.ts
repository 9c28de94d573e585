/**
 * The stops of a launched app before its first line, and the wait until its breakpoints have locations.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Manager } from "../../session/Manager.ts"
import type { Session } from "../../session/Session.ts"

/** Timeout for the report of the stop at an app's entry, in milliseconds. */
export const timeout = 500

/** Timeout for the locations of all breakpoints of a launched app. */
const locationTimeout = "5 seconds"

/** Maximum number of stops at an app's entry that are continued: of the launch signal, of an exec. */
const maxEntryStops = 3

/** Reasons of stops before the first line of an app. LLDB reports `exec` if a shell that is held executes the app. */
const entryReasons: ReadonlyArray<string> = ["pause", "entry", "exec"]

/** Continues an app that is stopped at its entry by the launch signal, or because its file was executed. */
const passEntry = Effect.fnUntraced(function* (session: Session, first: number, millis: number) {
  let token = first
  for (let time = 0; time < maxEntryStops; time++) {
    const seen = yield* session.outcome(token, millis)
    const stopped = Option.isSome(seen) && seen.value.state === "stopped" ? seen.value.stopped : undefined
    const isAtEntry =
      stopped !== undefined &&
      stopped.breakpoints.length === 0 &&
      (entryReasons.includes(stopped.reason) || stopped.cause === "launch-signal")
    if (!isAtEntry) return token
    // Another client may have resumed it meanwhile.
    token = yield* session
      .resume("continue", stopped.thread)
      .pipe(Effect.catchTag(["NotStopped", "StaleStop", "ThreadNotFound", "InvalidState"], () => Effect.succeed(token)))
  }
  return token
})

const unplaced = (session: Session) => session.breakpoints.list().find(({ resolved }) => !resolved)

/** Waits until every breakpoint has a location, or the app stops or ends. */
const waitForLocations = Effect.fnUntraced(function* (session: Session) {
  while (unplaced(session) !== undefined && session.log.snapshot.state === "running") {
    yield* session.log.reaches(session.log.journal.next)
  }
})

/** Continues a launched app until its breakpoints have locations. With `isPending` a breakpoint may have none; otherwise the session ends. */
export const continueToBreakpoints = Effect.fnUntraced(function* (
  session: Session,
  isPending: boolean,
  first: number,
  millis: number
) {
  const token = yield* passEntry(session, first, unplaced(session) === undefined ? millis : timeout)
  if (unplaced(session) === undefined) return token
  yield* Effect.timeoutOption(waitForLocations(session), locationTimeout)
  const missing = unplaced(session)
  if (missing !== undefined && !isPending && session.log.snapshot.state === "running") {
    const manager = yield* Manager
    yield* manager.end(session)
    return yield* new Errors.BreakpointUnresolved({
      location: missing.requested.text,
      reason: missing.reason ?? "the app has no code there",
      near: []
    })
  }
  return yield* passEntry(session, token, millis)
})
