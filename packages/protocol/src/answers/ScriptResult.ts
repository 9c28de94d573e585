/**
 * The result of one command of a script, in the data of `script`: the command as written and its encoded answer or error. Surfaces
 * decode it, to render it as the answer or error of the command called alone.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Answer } from "./Answer.ts"
import * as Errors from "../Errors.ts"
import * as Lazy from "../Lazy.ts"
import { isPlain } from "../internal/Plain.ts"
import type * as Operation from "../Operation.ts"
import * as Operations from "../Operations.ts"

/** The result of a command, as the data of `script` has it. */
export type Encoded = { readonly [field: string]: Schema.Json }

/** The result of a command. `operation` and `answer` are absent for a check that is met. */
export interface ScriptResult {
  readonly text: string
  readonly operation?: Operation.Any
  /** The fields of the call, for renderers. */
  readonly input: { readonly [field: string]: unknown }
  readonly answer?: Answer<unknown>
  readonly error?: Errors.SigtrapError
}

const isJson = Schema.is(Schema.Json)
const encodeError = Lazy.make(() => Schema.encodeSync(Errors.SigtrapError))
const decodeError = Lazy.make(() => Schema.decodeUnknownOption(Errors.SigtrapError))

/** Returns a value without what JSON cannot represent. */
const json = (value: unknown): Schema.Json => {
  const plain: unknown = JSON.parse(JSON.stringify(value ?? null))
  return isJson(plain) ? plain : null
}

/** Encodes a result. An answer that does not follow the schema of its operation is a defect. */
export const encode = Effect.fnUntraced(function* ({ answer, error, input, operation, text }: ScriptResult) {
  const schema = operation?.successSchema
  const encoded =
    answer === undefined || schema === undefined || !isPlain(schema)
      ? undefined
      : yield* Effect.orDie(Schema.encodeUnknownEffect(schema)(answer))
  const result: Encoded = {
    text,
    input: json(input),
    ...(operation === undefined ? {} : { operation: operation._tag }),
    ...(encoded === undefined ? {} : { answer: json(encoded) }),
    ...(error === undefined ? {} : { error: json(encodeError()(error)) })
  }
  return result
})

const decode = (result: Encoded): ScriptResult => {
  const { input, text } = result
  const operation = Predicate.isString(result["operation"]) ? Operations.find(result["operation"]) : undefined
  const schema = operation?.successSchema
  const answer: unknown =
    result["answer"] === undefined || schema === undefined || !isPlain(schema)
      ? undefined
      : Option.getOrUndefined(Schema.decodeUnknownOption(schema)(result["answer"]))
  const error = result["error"] === undefined ? undefined : Option.getOrUndefined(decodeError()(result["error"]))
  return {
    text: String(text),
    input: Predicate.isReadonlyObject(input) ? input : {},
    ...(operation === undefined ? {} : { operation }),
    ...(isAnswer(answer) ? { answer } : {}),
    ...(error === undefined ? {} : { error })
  }
}

const isAnswer = (value: unknown): value is Answer<unknown> => Predicate.isReadonlyObject(value) && "state" in value

const isEncoded = Schema.is(Schema.Record(Schema.String, Schema.Json))

/** Returns the results in the data of `script`; none for other data. */
export const of = (data: unknown): ReadonlyArray<ScriptResult> => {
  const results: unknown = Predicate.isReadonlyObject(data) ? data["results"] : undefined
  return Array.isArray(results) ? results.filter(isEncoded).map(decode) : []
}
