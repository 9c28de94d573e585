/**
 * A value of the program: text from the debugger, and a reference if it has children.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"

const variableKinds = ["arg", "local", "static", "global", "register", "return"] as const

/** The schema of the kind of a variable. */
export interface VariableKindSchema extends Schema.Literals<typeof variableKinds> {}

/** The kind of a variable, if the debugger supplies it. */
export const VariableKind: VariableKindSchema = Schema.Literals(variableKinds)

const attributes = ["optimized-out", "unknown", "uninitialized", "read-only", "lazy", "masked", "unreadable"] as const

/** The schema of a property of a value. */
export interface VariableAttributeSchema extends Schema.Literals<typeof attributes> {}

/** A property of a value that affects how to read it. `unknown`: the debugger cannot read a value that exists. */
export const VariableAttribute: VariableAttributeSchema = Schema.Literals(attributes)

const fields = {
  name: Schema.String,
  value: Schema.String,
  type: Schema.optionalKey(Schema.String),
  ref: Schema.optionalKey(Schema.String),
  expression: Schema.optionalKey(Schema.String),
  kind: Schema.optionalKey(VariableKind),
  attributes: Schema.optionalKey(Schema.Array(VariableAttribute)),
  changed: Schema.optionalKey(Schema.Boolean),
  old: Schema.optionalKey(Schema.String),
  truncated: Schema.optionalKey(Schema.Boolean),
  address: Schema.optionalKey(Schema.String),
  file: Schema.optionalKey(Schema.String),
  child_count: Schema.optionalKey(Schema.Int)
}

/** A variable inside another: TypeScript does not infer a recursive type. */
export interface Child extends Schema.Struct.Type<typeof fields> {
  readonly children?: ReadonlyArray<Child>
}

/**
 * A variable or the value of an expression. `ref` (`@v7`) opens it and is valid for this stop. `expression` can be
 * evaluated again later. `old` is the text of a changed value at the earlier stop. `file` declares a global variable of another file.
 * `child_count` is absent if the debugger does not supply it.
 */
export class Variable extends Model.of<Variable>()(
  Schema.Struct({
    ...fields,
    children: Schema.optionalKey(Schema.Array(Schema.suspend((): Schema.Codec<Child> => Variable)))
  }).annotate({ identifier: "Variable" })
) {}

/** Why one of several expressions has no value. */
class ReadError extends Model.of<ReadError>()(
  Schema.Struct({ code: Schema.String, message: Schema.String }).annotate({ identifier: "ReadError" })
) {}

const children = Schema.optionalKey(Schema.Array(Variable))

/** A requested expression: its value, or the error of reading it. One of both is absent. */
export class Reading extends Model.of<Reading>()(
  Schema.Struct({
    ...fields,
    value: Schema.optionalKey(Schema.String),
    children,
    error: Schema.optionalKey(ReadError)
  }).annotate({ identifier: "Reading" })
) {}

/** True for a reading that has a value. */
export const hasValue = (reading: Reading): reading is Reading & Variable => reading.value !== undefined

/** Length up to which the text of a value is shown in one line, in characters. */
export const lineLength = 80

/** Matches a string in the text of a value, with its quotes. One that was cut ends in an ellipsis before the last quote. */
const string = /(["'`])(?:\\.|(?!\1)[^\\])*?(?<cut>…)?\1/gs

/**
 * True if the text of a value leaves members or characters out, at any level. Dots inside of a string are part of the value. Delve
 * names the address of a value instead that it did not read: `(*main.node)(0xc000012345)`.
 */
export const leavesOut = (text: string): boolean =>
  /\.\.\.|…|\(\*.*\)\(0x[0-9a-f]+\)/s.test(text.replaceAll(string, "$<cut>"))
