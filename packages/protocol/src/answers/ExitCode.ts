/**
 * The exit code of a command that has an answer. An answer can be about several things at once, such as all lost sessions: some of them
 * can fail although the operation answers. The `parts` of the operation's `Meta` names the field that lists them.
 */
import * as Predicate from "effect/Predicate"
import * as Errors from "../Errors.ts"
import * as Operation from "../Operation.ts"

/** Returns the exit code of an answer: that of the first part that failed, or the one that the operation says; else 0. */
export const of = (operation: Operation.Any, data: unknown): number => {
  const { exit, parts } = Operation.meta(operation)
  if (exit !== undefined) return exit(data)
  if (parts === undefined || !Predicate.isReadonlyObject(data)) return 0
  const list: unknown = data[parts]
  const errors = Array.isArray(list)
    ? list.map((part: unknown) => (Predicate.hasProperty(part, "error") ? part.error : undefined))
    : []
  const failed = errors.find((error) => error !== undefined)
  return failed === undefined ? 0 : Errors.exitOf(Predicate.hasProperty(failed, "code") ? String(failed.code) : "")
}
