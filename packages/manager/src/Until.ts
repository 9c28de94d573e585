/**
 * `until` and `continue --to`: run to a place by a breakpoint that is there only for that.
 *
 * The breakpoint is gone when the caller hears anything, whatever that is; one that the user had set there already
 * stays. Without waiting it stays too, and goes when it is hit.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Program } from "./Program.ts"
import * as Run from "./Run.ts"
import type { Session } from "./Session.ts"
import * as Status from "./Status.ts"

type Asked = Omit<Operations.Payload<"until">, "session">

/** Runs to `at`; `reached` says whether the program stopped there. */
export const until = Effect.fnUntraced(function* (session: Session, payload: Asked, program: Program["Service"]) {
  // Where it stands now is what a bare line number is meant from; not standing anywhere is told here.
  yield* session.view
  const { location } = yield* Status.status(session)
  const request = yield* program.breakpoint({
    text: payload.at,
    pending: false,
    ...(payload.directory === undefined ? {} : { directory: payload.directory }),
    ...(location === undefined ? {} : { here: location })
  })
  return yield* Effect.acquireUseRelease(
    session.breakpoints.add({ ...request, temporary: true }),
    (breakpoint) =>
      Effect.gen(function* () {
        const token = yield* session.resume("continue", payload.thread)
        if (!payload.wait) return yield* Run.outcome(session, payload, token)
        const report = yield* Run.outcome(session, payload, token)
        const { stopped } = session.log.snapshot
        const reached = report.data.event === "stopped" && stopped?.breakpoints.includes(breakpoint.id) === true
        const alone = reached && breakpoint.existing !== true && stopped.breakpoints.length === 1
        return { ...report, data: { ...report.data, ...(alone ? { reason: "until" as const } : {}), reached } }
      }),
    (breakpoint) =>
      breakpoint.existing === true || !payload.wait
        ? Effect.void
        : // Hit, it went by itself.
          Effect.ignore(session.breakpoints.remove([breakpoint.id]))
  )
})
