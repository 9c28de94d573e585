/**
 * What a caller should know beside an answer: that a condition cannot be evaluated, and the program stopped for it.
 */
import type { Answer } from "@sigtrap/protocol"
import type { Session } from "./Session.ts"

const isStop = (data: unknown): boolean =>
  typeof data === "object" && data !== null && "event" in data && data.event === "stopped"

/** The warnings to an answer: none unless it tells of a stop. */
export const of = (session: Session, data: unknown): ReadonlyArray<Answer.Warning> => {
  const hit = session.log.snapshot.stopped?.breakpoints ?? []
  return isStop(data)
    ? session
        .conditionProblems()
        .filter(({ id }) => hit.includes(id))
        .map(({ id, problem }) => ({
          code: "CONDITION_ERROR",
          message: `condition error: breakpoint ${id}: ${problem}`
        }))
    : []
}
