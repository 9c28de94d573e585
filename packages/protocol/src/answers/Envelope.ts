/**
 * Answers and errors as JSON, the same on every surface: `ok`, `cmd`, session and state, then the data or the error. Keys
 * keep this order. Absent values are omitted. Surfaces choose which parts they send and with which status; they do
 * not rename any. A surface gives the function that writes a hint in its own form.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import type { Answer, Truncation, Warning } from "./Answer.ts"
import * as ErrorDocument from "./ErrorDocument.ts"
import * as Errors from "../Errors.ts"
import * as Hint from "./Hint.ts"
import { isPlain } from "../internal/Plain.ts"
import * as Operation from "../Operation.ts"
import * as ScriptResult from "./ScriptResult.ts"
import { SessionState } from "../model/Session.ts"

/** A hint as JSON; `text` is its form on the surface that answers. */
export class ShownHint extends Model.of<ShownHint>()(
  Schema.Struct({
    operation: Schema.optionalKey(Schema.String),
    input: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
    local: Schema.optionalKey(Schema.Literal(true)),
    note: Schema.optionalKey(Schema.String),
    text: Schema.String
  }).annotate({ identifier: "ShownHint" })
) {}

/** A warning as JSON. */
export class ShownWarning extends Model.of<ShownWarning>()(
  Schema.Struct({
    code: Schema.String,
    message: Schema.String,
    hints: Schema.optionalKey(Schema.Array(ShownHint))
  }).annotate({ identifier: "ShownWarning" })
) {}

/** A part that was cut off, as JSON; `more` is the text of the first hint. */
export class ShownTruncation extends Model.of<ShownTruncation>()(
  Schema.Struct({
    path: Schema.String,
    shown: Schema.Int,
    total: Schema.optionalKey(Schema.Int),
    more: Schema.String,
    hints: Schema.Array(ShownHint)
  }).annotate({ identifier: "ShownTruncation" })
) {}

/** An answer as JSON. */
export interface Success {
  readonly ok: true
  readonly cmd: string
  readonly session?: string
  readonly state: SessionState
  readonly stop?: number
  readonly durable?: false
  readonly data: unknown
  readonly warnings: ReadonlyArray<ShownWarning>
  readonly truncated: ReadonlyArray<ShownTruncation>
}

/** An error as JSON; `details` are the fields of its class, `hint` is the text of the first hint. */
export class Failure extends Model.of<Failure>()(
  Schema.Struct({
    ok: Schema.Literal(false),
    cmd: Schema.optionalKey(Schema.String),
    session: Schema.optionalKey(Schema.String),
    state: Schema.optionalKey(SessionState),
    error: Schema.Struct({
      code: Schema.String,
      message: Schema.String,
      hint: Schema.String,
      hints: Schema.Array(ShownHint),
      details: Schema.Record(Schema.String, Schema.Unknown)
    }),
    /** The state of the running program; only with `WAIT_TIMEOUT`. */
    data: Schema.optionalKey(Schema.Unknown),
    warnings: Schema.Array(ShownWarning),
    /** Only in the answer of a local command, which can have data besides its error. */
    truncated: Schema.optionalKey(Schema.Array(ShownTruncation))
  })
) {}

/** The parts of a document that are the same for every operation, for publishing their schemas. */
export class Shared extends Model.of<Shared>()(
  Schema.Struct({
    warnings: Schema.Array(ShownWarning),
    truncated: Schema.Array(ShownTruncation),
    failure: Failure
  })
) {}

/** The words of an operation as a person writes them: `breakpoint list`. */
export const command = (operation: Operation.Any): string => operation._tag.replaceAll(".", " ")

/** Writes a hint in the form of a surface. */
export type WriteHint = (hint: Hint.Hint) => string

/** Hints as JSON, at most three. */
export const hints = (all: Hint.Hints, write: WriteHint): ReadonlyArray<ShownHint> =>
  Hint.shown(all).map((hint) => {
    const text = write(hint)
    if (!Hint.isCall(hint)) return { ...hint, text }
    const { again: _, ...call } = hint
    return { ...call, text }
  })

/** Warnings as JSON. */
export const warnings = (all: ReadonlyArray<Warning>, write: WriteHint): ReadonlyArray<ShownWarning> =>
  all.map(({ code, hints: given, message }) => ({
    code,
    message,
    ...(given === undefined ? {} : { hints: hints(given, write) })
  }))

/** Truncations as JSON. */
export const truncations = (all: ReadonlyArray<Truncation>, write: WriteHint): ReadonlyArray<ShownTruncation> =>
  all.map(({ hints: given, ...cut }) => {
    const shown = hints(given, write)
    return { ...cut, more: shown[0]?.text ?? "", hints: shown }
  })

/** The envelope of one command of a script. A check that is met has only `ok` and `cmd`. */
const ofCommand = Effect.fnUntraced(function* (
  { answer, error, operation, text }: ScriptResult.ScriptResult,
  write: WriteHint
): Effect.fn.Return<Success | Failure | { readonly ok: true; readonly cmd: string }> {
  if (error !== undefined) return failure(error, write, text)
  if (answer === undefined || operation === undefined) return { ok: true, cmd: text }
  return { ...(yield* success(operation, answer, write)), cmd: text }
})

/** The data of a script, with the envelope of each command. */
const composed = Effect.fnUntraced(function* (data: unknown, write: WriteHint): Effect.fn.Return<unknown> {
  if (!Predicate.isReadonlyObject(data)) return data
  const results = yield* Effect.forEach(ScriptResult.of(data), (result) => ofCommand(result, write))
  return { ...data, results }
})

/** The JSON of an operation's answer. An answer that does not follow the operation's schema is a defect. */
export const success = Effect.fnUntraced(function* (
  operation: Operation.Any,
  answer: Answer<unknown>,
  write: WriteHint
): Effect.fn.Return<Success> {
  const schema = operation.successSchema
  if (!isPlain(schema)) return yield* Effect.die(`${operation._tag} has no success schema`)
  const encoded = yield* Effect.orDie(Schema.encodeUnknownEffect(schema)(answer))
  const { durable, session, state, stop } = answer
  const data = Predicate.isReadonlyObject(encoded) ? encoded["data"] : undefined
  const envelope: Success = {
    ok: true,
    cmd: command(operation),
    ...(session === undefined ? {} : { session }),
    state,
    ...(stop === undefined ? {} : { stop }),
    ...(durable === undefined ? {} : { durable }),
    data: Operation.meta(operation).composite ? yield* composed(data, write) : data,
    warnings: warnings(answer.warnings, write),
    truncated: truncations(answer.truncated, write)
  }
  return envelope
})

const encodeError = Schema.encodeSync(Errors.SigtrapError)

/** The longest text of a detail, in characters. */
const longest = 64 * 1024

/** Cuts long texts in the details of an error: the caller has what it sent. */
const cut = (value: unknown): unknown => {
  if (Predicate.isString(value)) {
    return value.length <= longest ? value : `${value.slice(0, longest)}… (${value.length} characters)`
  }
  if (Array.isArray(value)) return value.map(cut)
  if (!Predicate.isReadonlyObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, cut(inner)]))
}

/** The JSON of an error. `cmd` are the words of the command that failed. */
export const failure = (error: Errors.SigtrapError, write: WriteHint, cmd?: string): Failure => {
  const { _tag, session, state, remedies: _, ...details } = encodeError(error)
  const { code } = Errors.meta({ _tag })
  const data = error._tag === "WaitTimeout" && error.runs ? running(error) : undefined
  return ErrorDocument.make(
    {
      code,
      message: error.message,
      hints: hints(error.hints, write),
      details: Object.fromEntries(Object.entries(details).map(([field, value]) => [field, cut(value)]))
    },
    { cmd, session, state, data }
  )
}

const running = (error: Errors.WaitTimeout) => ({
  event: "running",
  running: true,
  waited_ms: error.waited_ms,
  output: { bytes: error.output_bytes, ...(error.output_tail === undefined ? {} : { tail: error.output_tail }) }
})
