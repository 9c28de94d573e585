/**
 * A value of the program as it is shown: text from the debugger, with a reference when there is more inside.
 */
import * as Schema from "effect/Schema"

/** What kind of thing a variable is, where the debugger tells. */
export const VariableKind = Schema.Literals(["arg", "local", "static", "global", "register", "return"])

/** Why a value is not simply a value. */
export const VariableAttribute = Schema.Literals(["optimized-out", "uninitialized", "read-only", "lazy", "masked"])

const fields = {
  name: Schema.String,
  value: Schema.String,
  type: Schema.optionalKey(Schema.String),
  ref: Schema.optionalKey(Schema.String),
  expression: Schema.optionalKey(Schema.String),
  kind: Schema.optionalKey(VariableKind),
  attributes: Schema.optionalKey(Schema.Array(VariableAttribute)),
  changed: Schema.optionalKey(Schema.Boolean),
  truncated: Schema.optionalKey(Schema.Boolean),
  address: Schema.optionalKey(Schema.String),
  file: Schema.optionalKey(Schema.String),
  child_count: Schema.optionalKey(Schema.Int)
}

/**
 * A variable or the value of an expression. `ref` (`@v7`) opens it and is good for this stop; `expression` can be
 * evaluated again later; `file` declares a global variable that the frame's own file does not; `child_count` is absent when the debugger does not say.
 */
export interface Variable extends Schema.Struct.Type<typeof fields> {
  readonly children?: ReadonlyArray<Variable>
}
/** A variable or the value of an expression. */
export const Variable = Schema.Struct({
  ...fields,
  children: Schema.optionalKey(Schema.Array(Schema.suspend((): Schema.Codec<Variable> => Variable)))
}).annotate({ identifier: "Variable" })
