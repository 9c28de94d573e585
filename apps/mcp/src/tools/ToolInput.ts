/**
 * The input of a tool: a short JSON Schema of its operation's payload without the fields that this server sets, and the
 * conversion of values that agents send with the wrong JSON type.
 */
import { Predicate } from "effect"
import { type Operation, Payload } from "@sigtrap/protocol"

/** A JSON Schema, or a part of one. */
export interface Keywords {
  readonly [keyword: string]: unknown
}

/**
 * The JSON Schema of a tool's input. It allows other fields: a tool accepts every field of its operation, and a client that validates
 * calls would refuse those that the list leaves out. `required` is absent if no field is required.
 */
export interface Input {
  readonly type: "object"
  readonly properties: { readonly [field: string]: Keywords }
  readonly required?: ReadonlyArray<string>
}

// The list is sent in every conversation, so keywords that a model does not need are removed: bounds, defaults, a pattern
// that the description explains, the type of an enumeration. Decoding still checks them and its errors explain them.
const isListed = (schema: Keywords) => (keyword: string) => {
  switch (keyword) {
    case "minimum":
    case "maximum":
    case "minLength":
    case "minItems":
    case "maxItems":
    case "default":
      return false
    case "prefixItems":
      return !("items" in schema)
    case "type":
      return !("enum" in schema)
    case "pattern":
      return !("description" in schema)
    default:
      return true
  }
}

/**
 * Returns the type of an `anyOf` of simple types. If one is `string` the result is `string`: some clients reject a list of
 * types, and `coerce` converts text to numbers.
 */
const typeOf = (anyOf: unknown): unknown => {
  if (!Array.isArray(anyOf)) return undefined
  const each = anyOf.map((one: unknown) =>
    Predicate.isReadonlyObject(one) && !("enum" in one) ? one["type"] : undefined
  )
  if (!each.every(Predicate.isString)) return undefined
  return each.includes("string") ? "string" : [...new Set(each)]
}

/** Shortens the schema of a field for the list. With `described` false the description is removed. */
export const compact = (schema: Keywords, described = true): Keywords =>
  Object.fromEntries(
    Object.keys(schema)
      .filter(isListed(schema))
      .filter((keyword) => described || keyword !== "description")
      .map((keyword) => {
        const value = schema[keyword]
        const type = keyword === "anyOf" ? typeOf(value) : undefined
        if (type !== undefined) return ["type", type]
        // A list is described by its own description, not by that of its items.
        return [keyword, keyword === "items" && Predicate.isReadonlyObject(value) ? compact(value, false) : value]
      })
  )

/**
 * Returns the input schema of an operation's tool with the required fields and those for which `shown` is true. The fields in
 * `also` are required too.
 */
export const schema = (
  operation: Operation.Any,
  shown: (field: string) => boolean,
  undescribed: ReadonlyArray<string>,
  also: ReadonlyArray<string> = []
): Input => {
  const { properties, required: always } = Payload.published(operation)
  const required = [...always, ...also]
  const fields = Object.entries(properties).filter(
    ([field]) => !Payload.callerFields.includes(field) && (shown(field) || required.includes(field))
  )
  return {
    type: "object",
    properties: Object.fromEntries(
      fields.map(([field, property]) => [field, compact(property, !undescribed.includes(field))])
    ),
    ...(required.length === 0 ? {} : { required })
  }
}

const number = /^-?\d+(?:\.\d+)?$/

const coerceValue = (schema: unknown, value: unknown): unknown => {
  if (!Predicate.isReadonlyObject(schema)) return value
  switch (schema["type"]) {
    case "string":
      return typeof value === "number" ? String(value) : value
    case "integer":
    case "number":
      return typeof value === "string" && number.test(value) ? Number(value) : value
    case "boolean":
      return value === "true" ? true : value === "false" ? false : value
    case "array":
      return Array.isArray(value)
        ? value.map((item) => coerceValue(schema["items"], item))
        : typeof value === "string" || typeof value === "number"
          ? [coerceValue(schema["items"], value)]
          : value
    default:
      return value
  }
}

/** True if a value means that the field was left out. Empty text is a value for `text`, the input of a program. */
const isAbsent = (field: string, value: unknown) =>
  value === null || value === undefined || (value === "" && field !== "text")

/** Returns the field that an agent means: `expression` is the only value of the list `expressions`. */
const fieldOf = (properties: Keywords, input: Keywords, field: string): string => {
  const list = `${field}s`
  const isList = Predicate.isReadonlyObject(properties[list]) && properties[list]["type"] === "array"
  return !Object.hasOwn(properties, field) && isList && !Object.hasOwn(input, list) ? list : field
}

/**
 * Converts values to the types of the schema where the conversion is unambiguous: numbers, text and booleans into each
 * other, one value into a list of one, `expression` into the list `expressions`. `null` and empty text count as absent, except empty text
 * in a required field.
 */
export const coerce = (operation: Operation.Any, input: Keywords): Keywords => {
  const { properties, required } = Payload.published(operation)
  return Object.fromEntries(
    Object.entries(input)
      .map(([field, value]) => [fieldOf(properties, input, field), value] as const)
      .filter(([field, value]) => !isAbsent(field, value) || (required.includes(field) && value === ""))
      .map(([field, value]) => [field, coerceValue(properties[field], value)])
  )
}
