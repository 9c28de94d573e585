/**
 * Following: an operation that reads from a cursor, called again from where its last answer ended until the session is over.
 * Surfaces that can stream do so with this; others let their callers pass `next` on as `since`.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { Answer } from "./Answer.ts"
import type * as Operation from "./Operation.ts"
import { published } from "./Payload.ts"
import { isLive } from "./Session.ts"

/** A payload as its caller wrote it. */
export interface Input {
  readonly [field: string]: unknown
}

/** Whether a payload asks to follow an operation that can be followed. */
export const wanted = (operation: Operation.Any, input: Input): boolean =>
  input["follow"] === true && "since" in published(operation).properties

const field = (answer: Answer<unknown>, name: string): unknown =>
  Predicate.isReadonlyObject(answer.data) ? answer.data[name] : undefined

/** Whether an answer has nothing to show. */
export const isEmpty = (answer: Answer<unknown>): boolean =>
  [field(answer, "entries"), field(answer, "events")].every((list) => !Array.isArray(list) || list.length === 0) &&
  (field(answer, "text") ?? "") === ""

/** The payload that goes on after an answer; none when nothing can come any more. What was cut once is not cut again. */
export const next = (input: Input, answer: Answer<unknown>): Option.Option<Input> => {
  const cursor = field(answer, "next")
  if (typeof cursor !== "number" || (!isLive(answer.state) && cursor === input["since"])) return Option.none()
  const { tail: _, ...rest } = input
  return Option.some({ ...rest, since: cursor, timeout: "inf" })
}
