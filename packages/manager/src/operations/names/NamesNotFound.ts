/**
 * The warning of an answer that has some of the requested names and lacks others.
 */
import { type Answer, Expression, type Hint } from "@sigtrap/protocol"

const quoted = (name: string) => `'${name}'`

/** Returns the warning that names what is missing and the names most similar to the first; none if nothing is missing. */
export const warnings = (
  what: "register" | "local variable" | "global variable" | "variable",
  missing: ReadonlyArray<string>,
  known: ReadonlyArray<string>,
  hint: Hint.Hint
): ReadonlyArray<Answer.Warning> => {
  const [first] = missing
  if (first === undefined) return []
  const near = Expression.nearest(first, known)
  const nearest = near.length === 0 ? "" : `; nearest: ${near.join(", ")}`
  return [{ code: "NOT_FOUND", message: `no ${what} ${missing.map(quoted).join(", ")}${nearest}`, hints: [hint] }]
}
