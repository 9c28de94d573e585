/**
 * The answer of every operation: its own data, and the session with its state. Surfaces render it and add nothing.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Hint from "./Hint.ts"
import { SessionState } from "../model/Session.ts"

/** Something the caller should know although the operation succeeded. */
export class Warning extends Model.of<Warning>()(
  Schema.Struct({
    code: Schema.String,
    message: Schema.String,
    hints: Schema.optionalKey(Hint.Hints)
  }).annotate({ identifier: "Warning" })
) {}

/** A part that was cut off, and the calls that show the rest. */
export class Truncation extends Model.of<Truncation>()(
  Schema.Struct({
    path: Schema.String,
    shown: Schema.Int,
    total: Schema.optionalKey(Schema.Int),
    hints: Hint.Hints
  }).annotate({ identifier: "Truncation" })
) {}

/** The fields of an answer with this data. */
type Fields<Data extends Schema.Constraint> = {
  readonly session: Schema.optionalKey<Schema.String>
  readonly state: typeof SessionState
  readonly stop: Schema.optionalKey<Schema.Int>
  readonly durable: Schema.optionalKey<Schema.Literal<false>>
  readonly data: Data
  readonly warnings: Schema.$Array<typeof Warning>
  readonly truncated: Schema.$Array<typeof Truncation>
}

/** The schema of an answer with this data. */
export interface Of<Data extends Schema.Constraint> extends Schema.Struct<Fields<Data>> {}

/**
 * Returns the schema of an answer with this data. `stop` is the number of the stop that was read. `durable` is false if what
 * was asked of the session could not be stored.
 */
export const make = <Data extends Schema.Constraint>(data: Data): Of<Data> =>
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
