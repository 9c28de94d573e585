/**
 * Streaming of `output` and `events` with `follow`: the operation is called again from the cursor of its last answer until
 * the session ends. Surfaces that cannot stream return the cursor `next`, which their callers pass on as `since`.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { Answer } from "../answers/Answer.ts"
import type * as Operation from "../Operation.ts"
import * as OutputPage from "../answers/OutputPage.ts"
import { hasField } from "../Payload.ts"
import { isLive } from "../model/Session.ts"

/** A payload before decoding. */
export interface Input {
  readonly [field: string]: unknown
}

/** Returns true if the payload has `follow` and the operation reads from a cursor. What lies before a cursor does not grow. */
export const isRequested = (operation: Operation.Any, input: Input): boolean =>
  input["follow"] === true && input["before"] === undefined && hasField(operation, "since")

const field = (answer: Answer<unknown>, name: string): unknown =>
  Predicate.isReadonlyObject(answer.data) ? answer.data[name] : undefined

/** Returns true if an answer has no entries, events or text. */
export const isEmpty = (answer: Answer<unknown>): boolean =>
  [field(answer, "entries"), field(answer, "events")].every((list) => !Array.isArray(list) || list.length === 0) &&
  (field(answer, "text") ?? "") === ""

/** Returns the payload of the next call, or none if the session ended and everything was read. `tail` applies once. */
export const next = (input: Input, answer: Answer<unknown>): Option.Option<Input> => {
  const seq = field(answer, "next")
  if (!Predicate.isNumber(seq)) return Option.none()
  const offset = field(answer, "next_offset")
  const cursor = OutputPage.write({ seq, offset: Predicate.isNumber(offset) ? offset : 0 })
  if (!isLive(answer.state) && String(cursor) === String(input["since"])) return Option.none()
  const { before: _, tail: __, ...rest } = input
  return Option.some({ ...rest, since: cursor, timeout: "inf" })
}
