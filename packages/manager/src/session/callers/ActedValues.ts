/**
 * The values of a `print` or an `eval` as the event of the call shows them to other clients: cut, and without secrets. A call that
 * reveals secrets shows them to its caller only.
 */
import type { Event } from "@sigtrap/protocol"
import * as Predicate from "effect/Predicate"
import type { Running } from "../../model/permissions/Permission.ts"
import type { Secrets } from "../../model/secrets/Secrets.ts"

/** Maximum length of a value in an event, in characters. */
const maxValue = 200

/** Most values of one event. */
const mostValues = 8

const isReveal = (payload: unknown): boolean => Predicate.isReadonlyObject(payload) && payload["reveal"] === true

const textOf = (found: unknown, field: string): string | undefined => {
  const text = Predicate.isReadonlyObject(found) ? found[field] : undefined
  return Predicate.isString(text) ? text : undefined
}

/** Returns what the answer of a call has of values: readings of `print`, the value of `eval`. */
const readingsOf = (operation: string, answer: unknown): ReadonlyArray<unknown> => {
  const data = Predicate.isReadonlyObject(answer) ? answer["data"] : undefined
  if (!Predicate.isReadonlyObject(data)) return []
  const { value, values } = data
  if (operation === "eval") return [value]
  return operation === "print" && Array.isArray(values) ? values : []
}

/** Returns the values of the expressions of a call, in their order; none of one that failed. */
export const of = (
  { operation, payload }: Running,
  answer: unknown,
  expressions: ReadonlyArray<string>,
  secrets: Secrets
): ReadonlyArray<Event.ActedValue> => {
  if (isReveal(payload)) return []
  return readingsOf(operation._tag, answer)
    .slice(0, mostValues)
    .flatMap((reading, index): ReadonlyArray<Event.ActedValue> => {
      const [expression, whole, type] = [expressions[index], textOf(reading, "value"), textOf(reading, "type")]
      if (expression === undefined || whole === undefined) return []
      // The readings are masked already; an event does not pass the mask of answers. Only a part is masked, so that a long value costs
      // no more than others.
      const masked = secrets.inData(whole.slice(0, 4 * maxValue))
      const value = masked.length > maxValue || whole.length > 4 * maxValue ? `${masked.slice(0, maxValue)}…` : masked
      return [{ expression, value, ...(type === undefined ? {} : { type }) }]
    })
}
