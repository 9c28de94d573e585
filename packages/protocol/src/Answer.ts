/**
 * The answer of every operation: its own data, and the session with its state. Surfaces render it and add nothing.
 */
import * as Schema from "effect/Schema"
import * as Hint from "./Hint.ts"
import { SessionState } from "./Session.ts"

/** Something the caller should know although the operation succeeded. */
export const Warning = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  hints: Schema.optionalKey(Hint.Hints)
}).annotate({ identifier: "Warning" })
/** Something the caller should know although the operation succeeded. */
export type Warning = typeof Warning.Type

/** A part that was cut off, and the calls that show the rest. */
export const Truncation = Schema.Struct({
  path: Schema.String,
  shown: Schema.Int,
  total: Schema.optionalKey(Schema.Int),
  hints: Hint.Hints
}).annotate({ identifier: "Truncation" })
/** A part that was cut off. */
export type Truncation = typeof Truncation.Type

/**
 * Returns the schema of an answer with this data. `stop` is the number of the stop that was read. `durable` is false if what
 * was asked of the session could not be stored.
 */
export const make = <Data extends Schema.Constraint>(data: Data) =>
  Schema.Struct({
    session: Schema.optionalKey(Schema.String),
    state: SessionState,
    stop: Schema.optionalKey(Schema.Int),
    durable: Schema.optionalKey(Schema.Literal(false)),
    data,
    warnings: Schema.Array(Warning),
    truncated: Schema.Array(Truncation)
  })

/** An answer that carries `Data`. */
export interface Answer<Data> {
  readonly session?: string
  readonly state: SessionState
  readonly stop?: number
  readonly durable?: false
  readonly data: Data
  readonly warnings: ReadonlyArray<Warning>
  readonly truncated: ReadonlyArray<Truncation>
}
