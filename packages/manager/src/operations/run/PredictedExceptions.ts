/**
 * Exceptions at which a debugger stops because it predicts that nothing handles them. A run of JavaScript fails only if that is true.
 */
import type { Operations, Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RethrownErrors from "../crash/RethrownErrors.ts"
import type { Session } from "../../session/Session.ts"

type Payload = Operations.Payload<"run">

/** Evaluates an expression of the debugger in the frame of a stop; undefined if that fails. */
const evaluated = Effect.fnUntraced(
  function* (session: Session, thread: number, expression: string) {
    const view = yield* session.view
    const { value } = yield* view.evaluate(expression, yield* view.frame(thread, 0), "any")
    return value
  },
  Effect.orElseSucceed(() => undefined)
)

/** True if a program is stopped where its runtime reports an exception. */
export const isReport = ({ event, location: at }: Stop.StopReport): boolean =>
  event === "stopped" && at?.function !== undefined && RethrownErrors.isReport({ ...at, function: at.function })

/** Returns the first line of the message of an exception. */
export const messageOf = ({ description = "", exception }: Stop.StopReport): string =>
  (exception?.message ?? description).split("\n")[0] ?? ""

/**
 * True if the program may still handle the exception at which it stopped. A run that keeps the process of a failure stops again where the
 * runtime reports the exception, after the frames that threw it have ended.
 */
export const isOpen = Effect.fnUntraced(
  function* (session: Session, payload: Payload, stop: Stop.StopReport) {
    const { reason, thread } = stop
    if (payload.runner !== undefined || reason !== "exception" || thread === undefined) return false
    const { predictsUncaught } = yield* session.connection
    if (predictsUncaught === undefined || isReport(stop)) return false
    if ((yield* evaluated(session, thread.id, predictsUncaught.isCertain)) === "true") return false
    if (payload.keep === true || payload.until_failure !== undefined)
      yield* evaluated(session, thread.id, predictsUncaught.stopAgain)
    return true
  },
  // The program has ended meanwhile.
  Effect.orElseSucceed(() => false)
)
