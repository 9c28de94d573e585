/**
 * Checks of hints: each one that calls an operation has a tag that exists and an input that its payload schema accepts.
 */
import * as Schema from "effect/Schema"
import type { Answer } from "../answers/Answer.ts"
import type { SigtrapError } from "../Errors.ts"
import * as Hint from "../answers/Hint.ts"
import { isPlain } from "../internal/Plain.ts"
import * as Operations from "../Operations.ts"

const problemOf = (hint: Hint.Hint): string | undefined => {
  if (Hint.isLocal(hint)) {
    const explained = Hint.helpTag(hint)
    const known = explained === undefined || /^[a-z]/.test(explained)
    return known && /^[a-z_]+(?:\.[a-z-]+)*$/.test(hint.operation) ? undefined : "is not a command"
  }
  if (!Hint.isCall(hint)) return hint.note === "" ? "is empty" : undefined
  if (hint.again === true) return "is not completed"
  const operation = Operations.find(hint.operation)
  if (operation === undefined) return "calls no operation"
  const schema = operation.payloadSchema
  const decoded = isPlain(schema) ? Schema.decodeUnknownOption(schema)(hint.input) : undefined
  return decoded?._tag === "Some" ? undefined : "has an input that its operation does not take"
}

/** What is wrong with hints, one sentence for each. */
export const problems = (hints: Hint.Hints): ReadonlyArray<string> =>
  hints.flatMap((hint) => {
    const problem = problemOf(hint)
    return problem === undefined ? [] : [`${JSON.stringify(hint)} ${problem}`]
  })

/** Every hint of an answer. */
export const ofAnswer = ({ truncated, warnings }: Answer<unknown>): Hint.Hints => [
  ...warnings.flatMap(({ hints = [] }) => hints),
  ...truncated.flatMap(({ hints }) => hints)
]

/** What is wrong with the hints of an error; one without a hint is wrong, too. */
export const ofError = (error: SigtrapError): ReadonlyArray<string> =>
  error.hints.length === 0 ? [`${error._tag} has no hint`] : problems(error.hints)
