/**
 * Warnings of answers: a condition could not be evaluated, so the program stopped; a source file is newer than the
 * program or not shown; a preferred debugger does not run or can be changed by others; a list of the debugger is too long
 * to be read as a whole; the session is not stored.
 */
import type { Answer } from "@sigtrap/protocol"
import * as Predicate from "effect/Predicate"
import * as SourceRoots from "../model/sources/SourceRoots.ts"
import type { Listed } from "../ports/Backend.ts"
import type { Session } from "../session/Session.ts"
import type { Viewpoint } from "../session/callers/Viewpoints.ts"

/** True for an answer about a stop: the report of one, or a trace that ended with one. */
const isStop = (data: unknown): boolean =>
  Predicate.isReadonlyObject(data) && (data["event"] === "stopped" || isStop(data["report"]))

/** Returns the source file of an answer if it is newer than the program. */
const staleFile = (data: unknown): string | undefined => {
  if (!Predicate.isReadonlyObject(data) || data["stale"] !== true) return undefined
  const { location } = data
  const file = Predicate.isReadonlyObject(location) ? location["file"] : data["file"]
  return Predicate.isString(file) ? (file.split(/[/\\]/).at(-1) ?? file) : undefined
}

/** Returns the source file of a stop whose text is not shown, because no root of the session holds it. */
const refusedFile = (data: unknown): string | undefined => {
  if (!Predicate.isReadonlyObject(data)) return undefined
  const { location, source_refused: refused } = data
  const outside = Predicate.isReadonlyObject(refused) && refused["rule"] === "outside"
  const file = outside && Predicate.isReadonlyObject(location) ? location["file"] : undefined
  return Predicate.isString(file) ? file : undefined
}

/** Returns a warning with the ways to show the text; once for each file. */
const refusals = (session: Session, viewpoint: Viewpoint, data: unknown): ReadonlyArray<Answer.Warning> => {
  const file = refusedFile(data)
  if (file === undefined || !viewpoint.reportRefused(file)) return []
  const hints = SourceRoots.hints(session.sourceRoots, file, "outside")
  return [{ code: "SOURCE_REFUSED", message: `the text of ${file} is not shown: ${SourceRoots.outside}`, hints }]
}

/** Returns the preferred debuggers that were not used, for an answer that names the debugger. */
const skippedDebuggers = (session: Session, data: unknown): ReadonlyArray<string> =>
  Predicate.isReadonlyObject(data) && data["adapter"] !== undefined ? (session.adapter()?.skipped ?? []) : []

const lists: ReadonlyArray<readonly [field: string, Listed]> = [
  ["variables", "variables"],
  ["locals", "variables"],
  ["threads", "threads"],
  ["modules", "modules"],
  ["files", "files"]
]

/** Returns warnings of the lists in an answer that the debugger sent and that were not read as a whole. */
const cuts = (session: Session, data: unknown): ReadonlyArray<Answer.Warning> => {
  if (!Predicate.isReadonlyObject(data)) return []
  const shown = new Set(lists.flatMap(([field, what]) => (data[field] === undefined ? [] : [what])))
  return [...shown].flatMap((what) => {
    const count = session.notes.cutAt(what, session.log.snapshot.stop)
    const message = `the debugger sent ${count} more ${what} than can be read`
    return count === 0 ? [] : [{ code: "LIST_CUT", message }]
  })
}

/** Returns the warnings of an answer. */
export const of = (session: Session, viewpoint: Viewpoint, data: unknown): ReadonlyArray<Answer.Warning> => {
  const stale = staleFile(data)
  return [
    ...skippedDebuggers(session, data).map((text) => ({
      code: "ADAPTER_SKIPPED",
      message: `a debugger was not used: ${text}`
    })),
    ...(stale === undefined ? [] : [{ code: "SOURCE_NEWER", message: `${stale} is newer than the program` }]),
    ...refusals(session, viewpoint, data),
    ...cuts(session, data),
    ...conditions(session, data)
  ]
}

/** Returns the warning that a session is not stored. */
export const notStored = (problem: string | undefined): ReadonlyArray<Answer.Warning> =>
  problem === undefined
    ? []
    : [
        {
          code: "NOT_DURABLE",
          message: `launch and breakpoints are not stored, so a killed daemon loses them: ${problem}`
        }
      ]

/** Returns the warnings that conditions of the breakpoints of a stop could not be evaluated, so that they stopped the program. */
export const conditions = (session: Session, data: unknown): ReadonlyArray<Answer.Warning> => {
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
