/**
 * What a caller should know beside an answer: that a condition cannot be evaluated, and the program stopped for it; that
 * the source is newer than the program.
 */
import type { Answer } from "@sigtrap/protocol"
import * as Predicate from "effect/Predicate"
import type { Session } from "../session/Session.ts"

const isStop = (data: unknown): boolean =>
  typeof data === "object" && data !== null && "event" in data && data.event === "stopped"

/** The source file that an answer shows although it is newer than the program. */
const staleFile = (data: unknown): string | undefined => {
  if (!Predicate.isReadonlyObject(data) || data["stale"] !== true) return undefined
  const { location } = data
  const file = Predicate.isReadonlyObject(location) ? location["file"] : data["file"]
  return Predicate.isString(file) ? (file.split(/[/\\]/).at(-1) ?? file) : undefined
}

/** The warnings to an answer: about its source text, or about the stop that it tells of. */
export const of = (session: Session, data: unknown): ReadonlyArray<Answer.Warning> => {
  const stale = staleFile(data)
  return [
    ...(stale === undefined ? [] : [{ code: "SOURCE_NEWER", message: `${stale} is newer than the program` }]),
    ...conditions(session, data)
  ]
}

const conditions = (session: Session, data: unknown): ReadonlyArray<Answer.Warning> => {
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
