/**
 * What a tool takes: the payload of its operation without the fields that this server fills in, as a small JSON Schema,
 * and the leniency towards callers that write numbers as text or text as numbers.
 */
import { Predicate } from "effect"
import { type Operation, Payload } from "@sigtrap/protocol"

/** A JSON Schema, or a part of one. */
export interface Keywords {
  readonly [keyword: string]: unknown
}

/** The closed JSON Schema of a tool's input. `required` is absent when nothing is. */
export interface Input {
  readonly type: "object"
  readonly properties: { readonly [field: string]: Keywords }
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties: false
}

// A tool list is paid for in every conversation. What a model cannot use or would assume anyway is left out: the bounds
// of numbers and texts, a pattern whose form the description shows, the type of an enumeration, defaults. Decoding still checks all of it, and its errors say what was meant.
const says = (schema: Keywords) => (keyword: string) => {
  switch (keyword) {
    case "minimum":
    case "maximum":
    case "minLength":
    case "minItems":
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
 * The type of a value that may be of several, where each is plain. Text stands for the others: it is taken for a number
 * too, and clients that know one type a field refuse a tool that names two.
 */
const types = (anyOf: unknown): unknown => {
  if (!Array.isArray(anyOf)) return undefined
  const each = anyOf.map((one: unknown) =>
    Predicate.isReadonlyObject(one) && !("enum" in one) ? one["type"] : undefined
  )
  if (!each.every(Predicate.isString)) return undefined
  return each.includes("string") ? "string" : [...new Set(each)]
}

/** A field's schema as a list shows it; one that is described elsewhere says its type alone. */
export const compact = (schema: Keywords, described = true): Keywords =>
  Object.fromEntries(
    Object.keys(schema)
      .filter(says(schema))
      .filter((keyword) => described || keyword !== "description")
      .map((keyword) => {
        const value = schema[keyword]
        const several = keyword === "anyOf" ? types(value) : undefined
        if (several !== undefined) return ["type", several]
        // The description of the list is that of its items.
        return [keyword, keyword === "items" && Predicate.isReadonlyObject(value) ? compact(value, false) : value]
      })
  )

/** The input of an operation's tool: the fields that pass, described unless they are in `toldOnce`. */
export const schema = (
  operation: Operation.Any,
  shown: (field: string) => boolean,
  toldOnce: ReadonlyArray<string>
): Input => {
  const { properties, required } = Payload.published(operation)
  const fields = Object.entries(properties).filter(
    ([field]) => !Payload.callerFields.includes(field) && (shown(field) || required.includes(field))
  )
  return {
    type: "object",
    properties: Object.fromEntries(
      fields.map(([field, property]) => [field, compact(property, !toldOnce.includes(field))])
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false
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

/** Whether a value says that there is none. Empty text is a value where text is what is sent, as in a line of input. */
const isAbsent = (field: string, value: unknown) =>
  value === null || value === undefined || (value === "" && field !== "text")

/**
 * The input with numbers, text and truth values in the form that the schema wants, where that is plain; one value stands
 * for a list of one. `null` and empty text say that a field was left out, unless it must be there.
 */
export const coerce = (operation: Operation.Any, input: Keywords): Keywords => {
  const { properties, required } = Payload.published(operation)
  return Object.fromEntries(
    Object.entries(input)
      .filter(([field, value]) => !isAbsent(field, value) || (required.includes(field) && value === ""))
      .map(([field, value]) => [field, coerceValue(properties[field], value)])
  )
}
