/**
 * A value of the program: text from the debugger, and a reference if it has children.
 */
import * as Schema from "effect/Schema"

/** The kind of a variable, if the debugger supplies it. */
export const VariableKind = Schema.Literals(["arg", "local", "static", "global", "register", "return"])

/** A property of a value that affects how to read it. */
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
 * A variable or the value of an expression. `ref` (`@v7`) opens it and is valid for this stop. `expression` can be
 * evaluated again later. `file` declares a global variable of another file. `child_count` is absent if the debugger does
 * not supply it.
 */
export interface Variable extends Schema.Struct.Type<typeof fields> {
  readonly children?: ReadonlyArray<Variable>
}
/** A variable or the value of an expression. */
export const Variable = Schema.Struct({
  ...fields,
  children: Schema.optionalKey(Schema.Array(Schema.suspend((): Schema.Codec<Variable> => Variable)))
}).annotate({ identifier: "Variable" })
