/**
 * Answers and errors as JSON, the same on every surface: `ok`, `cmd`, where the session stands, then the data or the
 * error. Keys keep this order, and what is absent is left out. Surfaces choose which parts they send and with which
 * status; they do not rename any.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Answer, Truncation, Warning } from "./Answer.ts"
import * as Errors from "./Errors.ts"
import { isPlain } from "./internal/Plain.ts"
import type * as Operation from "./Operation.ts"
import type { SessionState } from "./Session.ts"

/** An answer as JSON. */
export interface Success {
  readonly ok: true
  readonly cmd: string
  readonly session?: string
  readonly state: SessionState
  readonly stop?: number
  readonly data: unknown
  readonly warnings: ReadonlyArray<Warning>
  readonly truncated: ReadonlyArray<Truncation>
}

/** An error as JSON; `details` are the fields of its class. */
export interface Failure {
  readonly ok: false
  readonly cmd?: string
  readonly session?: string
  readonly state?: SessionState
  readonly error: {
    readonly code: string
    readonly message: string
    readonly hint: string
    readonly details: { readonly [field: string]: unknown }
  }
  /** Only with `WAIT_TIMEOUT`, where nothing has gone wrong: what is known of the running program. */
  readonly data?: unknown
  readonly warnings: ReadonlyArray<Warning>
}

/** The words of an operation as a person writes them: `breakpoint list`. */
export const command = (operation: Operation.Any): string => operation._tag.replaceAll(".", " ")

/** The JSON of an operation's answer. An answer that does not follow the operation's schema is a defect. */
export const success = Effect.fnUntraced(function* (operation: Operation.Any, answer: Answer<unknown>) {
  const schema = operation.successSchema
  if (!isPlain(schema)) return yield* Effect.die(`${operation._tag} has no success schema`)
  const encoded = yield* Effect.orDie(Schema.encodeUnknownEffect(schema)(answer))
  const { session, state, stop, warnings, truncated } = answer
  const envelope: Success = {
    ok: true,
    cmd: command(operation),
    ...(session === undefined ? {} : { session }),
    state,
    ...(stop === undefined ? {} : { stop }),
    data: Predicate.isReadonlyObject(encoded) ? encoded["data"] : undefined,
    warnings,
    truncated
  }
  return envelope
})

const encodeError = Schema.encodeSync(Errors.SigtrapError)

/** The JSON of an error. */
export const failure = (error: Errors.SigtrapError, operation?: Operation.Any): Failure => {
  const { _tag, session, state, ...details } = encodeError(error)
  const { code } = Errors.meta({ _tag })
  return {
    ok: false,
    ...(operation === undefined ? {} : { cmd: command(operation) }),
    ...(session === undefined ? {} : { session }),
    ...(state === undefined ? {} : { state }),
    error: { code, message: error.message, hint: error.hint, details },
    ...(error._tag === "WaitTimeout" && error.awaited === undefined ? { data: running(error) } : {}),
    warnings: []
  }
}

const running = (error: Errors.WaitTimeout) => ({
  event: "running",
  waited_ms: error.waited_ms,
  output: { bytes: error.output_bytes, ...(error.output_tail === undefined ? {} : { tail: error.output_tail }) }
})
