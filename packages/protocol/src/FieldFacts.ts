/**
 * Facts about a payload field that no JSON Schema keyword holds: the setting that gives its default, the word for its
 * value in usage lines, and its value if an option is written without one. They are annotations on the field's schema, so a shared field
 * states them once. `Operation.make` collects them into the `Meta` of the operation.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

const settingKey = "@sigtrap/protocol/setting"
const bareKey = "@sigtrap/protocol/bare"
const placeholderKey = "@sigtrap/protocol/placeholder"

/** The annotation that names the setting which gives a field its default, such as `timeouts.wait`. */
export const setting = (key: string) => ({ [settingKey]: key })

/** The annotation for the word for a field's value in usage lines, such as `FILE` or `EXPR`. */
export const placeholder = (word: string) => ({ [placeholderKey]: word })

/** The annotation for the value of an option that is written without one: `--until-failure` for `--until-failure=200`. */
export const bare = (value: string) => ({ [bareKey]: value })

const textAt = (schema: Schema.Constraint, key: string): string | undefined => {
  const value = Schema.resolveAnnotations(schema)?.[key]
  return Predicate.isString(value) ? value : undefined
}

/** Returns the setting of a field, if it has one. */
export const settingOf = (schema: Schema.Constraint): string | undefined => textAt(schema, settingKey)

/** Returns the word for a field's value, if one is set. */
export const placeholderOf = (schema: Schema.Constraint): string | undefined => textAt(schema, placeholderKey)

/** Returns the value of an option without one, if it may be left out. */
export const bareOf = (schema: Schema.Constraint): string | undefined => textAt(schema, bareKey)

/** Collects one fact of all fields that have it, by field. */
export const collect = (
  fields: Schema.Struct.Fields,
  fact: (schema: Schema.Constraint) => string | undefined
): { readonly [field: string]: string } =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, schema]) => {
      const value = fact(schema)
      return value === undefined ? [] : [[field, value] as const]
    })
  )
