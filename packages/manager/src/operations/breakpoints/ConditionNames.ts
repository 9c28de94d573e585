/**
 * Warnings about the condition, the message and the expressions of a breakpoint that was set: a name means nothing at its locations, or
 * the condition assigns. A debugger reports the first when the program arrives there, and never the second.
 */
import { type Answer, type Breakpoint, Expression, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../../session/Session.ts"

/** Returns the names that the debugger is asked about. A name that begins with `$` is one of the debugger. */
const namesOf = ({ condition, log, eval: expressions = [] }: Breakpoint.Breakpoint): ReadonlyArray<string> => {
  const all = [condition ?? "", ...Expression.inMessage(log ?? ""), ...expressions].flatMap(Expression.names)
  return [...new Set(all)].filter((name) => !name.startsWith("$"))
}

/** Returns the call that gives a breakpoint another condition; the help of `breakpoint edit` without one. */
const edited = (id: number, condition: string | undefined) =>
  condition === undefined ? Hint.help("breakpoint.edit") : Hint.call("breakpoint.edit", { id: `${id}`, condition })

/** Returns the condition with another name in place of an unknown one; undefined if it does not have that name. */
const renamed = (condition: string | undefined, name: string, other: string | undefined): string | undefined => {
  const found = condition?.replaceAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu, (word) => (word === name ? (other ?? name) : word))
  return found === condition ? undefined : found
}

/** Returns the warning about names that mean nothing where the breakpoint is. */
const unknown = Effect.fnUntraced(function* (session: Session, breakpoint: Breakpoint.Breakpoint) {
  const names = namesOf(breakpoint)
  const { unknownNames } = yield* session.connection
  const isRunning = session.log.snapshot.state === "running"
  if (names.length === 0 || unknownNames === undefined || isRunning || breakpoint.locations.length === 0) return []
  const found = yield* unknownNames(breakpoint.id, names)
  const [first] = found.unknown
  if (first === undefined) return []
  const near = Expression.nearest(first, found.known)
  const listed = found.unknown.map((name) => `'${name}'`).join(", ")
  const nearest = near.length === 0 ? "" : `; nearest: ${near.join(", ")}`
  const message = `breakpoint ${breakpoint.id}: the debug information has no ${listed} there${nearest}`
  const other = found.unknown.length === 1 ? renamed(breakpoint.condition, first, near[0]) : undefined
  return [{ code: "NOT_FOUND", message, hints: [edited(breakpoint.id, other)] }]
})

/** Returns the warning about a condition that assigns. */
const assigning = ({ condition, id }: Breakpoint.Breakpoint): ReadonlyArray<Answer.Warning> => {
  const comparing = condition === undefined ? undefined : Expression.comparing(condition)
  if (comparing === undefined) return []
  const message = `breakpoint ${id}: the condition ${condition} assigns at each hit; == compares`
  return [{ code: "CONDITION_ASSIGNS", message, hints: [edited(id, comparing)] }]
}

/** Returns the warnings about a breakpoint. A debugger that does not answer gives none. */
export const warnings = (
  session: Session,
  breakpoint: Breakpoint.Breakpoint
): Effect.Effect<ReadonlyArray<Answer.Warning>> =>
  Effect.map(
    Effect.orElseSucceed(unknown(session, breakpoint), () => []),
    (names) => [...names, ...assigning(breakpoint)]
  )
