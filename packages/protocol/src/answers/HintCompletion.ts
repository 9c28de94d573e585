/**
 * Completes the hints of an answer or error with the fields of the call that was made: adds its session, thread and frame,
 * and to a hint with `again` all its fields. It runs once, where the answer or error leaves the manager.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Answer } from "./Answer.ts"
import type { SigtrapError } from "../Errors.ts"
import * as Hint from "./Hint.ts"
import { isPlain } from "../internal/Plain.ts"
import * as Operation from "../Operation.ts"
import * as Operations from "../Operations.ts"
import * as Payload from "../Payload.ts"

/** A call that was made: its operation and the encoded fields that differ from their defaults. */
interface Made {
  readonly operation: Operation.Any
  readonly input: Hint.Call["input"]
}

const isJsonFields = Schema.is(Hint.Call.fields.input)

const equal = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

/** Returns the call of a decoded payload, without default values and fields that surfaces fill in. */
const made = (operation: Operation.Any, payload: unknown): Made => {
  const schema = operation.payloadSchema
  const encoded: unknown = isPlain(schema) ? Schema.encodeUnknownSync(schema)(payload) : undefined
  const { properties } = Payload.published(operation)
  const fields = Predicate.isReadonlyObject(encoded) ? Object.entries(encoded) : []
  const input = Object.fromEntries(
    fields.filter(
      ([field, value]) =>
        value !== undefined && !Payload.unlisted.includes(field) && !equal(value, properties[field]?.["default"])
    )
  )
  return { operation, input: isJsonFields(input) ? input : {} }
}

const decodes = (operation: Operation.Any, input: unknown): boolean => {
  const schema = operation.payloadSchema
  return isPlain(schema) && Schema.decodeUnknownOption(schema)(input)._tag === "Some"
}

/** Returns the call that was made with the hint's fields changed; the help of an operation if that call is not valid. */
const repeatedCall = ({ again: _, ...hint }: Hint.Call, { input, operation }: Made): Hint.Hint => {
  const { properties } = Payload.published(operation)
  const same = Object.keys(hint.input).every((field) => Object.hasOwn(properties, field))
  const target = same ? operation : Operations.find(hint.operation)
  const whole = same ? { ...input, ...hint.input } : hint.input
  if (target === undefined || !decodes(target, whole)) return Hint.help(hint.operation, hint.note)
  // Advising the same call again does not help.
  return same && equal(whole, input)
    ? Hint.help(operation._tag, hint.note)
    : { ...hint, operation: target._tag, input: whole }
}

/** The fields that a hint takes over from the call. */
const contextFields = ["session", "thread", "frame"]

/** True if a hint names the sessions to act on in a field of its own: `stop`, `recover`. */
const namesSessions = ({ input }: Hint.Call, operation: Operation.Any): boolean =>
  Operation.meta(operation).completes === "sessions" && (Object.hasOwn(input, "names") || Object.hasOwn(input, "name"))

/** Adds the call's session, thread and frame to a hint, unless the hint names its sessions. */
const withContext = (hint: Hint.Hint, { input }: Made): Hint.Hint => {
  const operation = Hint.isCall(hint) ? Operations.find(hint.operation) : undefined
  if (!Hint.isCall(hint) || operation === undefined || namesSessions(hint, operation)) return hint
  const { properties } = Payload.published(operation)
  const named = Object.entries(input).filter(
    ([field]) => contextFields.includes(field) && Object.hasOwn(properties, field)
  )
  return { ...hint, input: { ...Object.fromEntries(named), ...hint.input } }
}

/** The field that an operation shares with another one, whose help is then not the best. */
const sharedFields: { readonly [tag: string]: string } = { start: "program", break: "at", attach: "adapter" }

/** Returns the help of the operation that was called instead of that of `start` or `break`, if it takes a program or location too. */
const ownHelp = (hint: Hint.Hint, { operation }: Made): Hint.Hint => {
  const tag = Hint.isLocal(hint) ? Hint.helpTag(hint) : undefined
  const field = tag !== undefined && Object.hasOwn(sharedFields, tag) ? sharedFields[tag] : undefined
  const takes = field !== undefined && Object.hasOwn(Payload.published(operation).properties, field)
  return takes && Hint.isLocal(hint) ? Hint.help(operation._tag, hint.note) : hint
}

const complete = (hints: Hint.Hints, call: Made): Hint.Hints =>
  hints.map((hint) =>
    Hint.isCall(hint) ? withContext(hint.again === true ? repeatedCall(hint, call) : hint, call) : ownHelp(hint, call)
  )

const completeError = <E extends SigtrapError>(error: E, call: () => Made): E =>
  Object.assign(error, { remedies: complete(error.hints, call()) })

const completeAnswer = <A extends Answer<unknown>>(answer: A, call: () => Made): A => {
  const { truncated, warnings } = answer
  if (truncated.length === 0 && warnings.every(({ hints }) => hints === undefined)) return answer
  const made = call()
  return {
    ...answer,
    warnings: warnings.map((warning) =>
      warning.hints === undefined ? warning : { ...warning, hints: complete(warning.hints, made) }
    ),
    truncated: truncated.map((cut) => ({ ...cut, hints: complete(cut.hints, made) }))
  }
}

/** Runs the call of an operation and completes the hints of its answer or error. */
export const around = <A extends Answer<unknown>, E extends SigtrapError>(
  operation: Operation.Any,
  payload: unknown,
  work: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.mapBoth(work, {
    onSuccess: (answer) => completeAnswer(answer, () => made(operation, payload)),
    onFailure: (error) => completeError(error, () => made(operation, payload))
  })
