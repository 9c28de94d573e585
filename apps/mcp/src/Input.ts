/**
 * What a tool takes: the payload of its operation without the fields that this server fills in, as a small JSON Schema,
 * and the leniency towards callers that write numbers as text or text as numbers.
 */
import { Predicate } from "effect"
import { Operation, Payload } from "@sigtrap/protocol"
import type * as Profile from "./Profile.ts"

/** The closed JSON Schema of a tool's input. `required` is absent when nothing is. */
export interface Input {
  readonly type: "object"
  readonly properties: { readonly [field: string]: { readonly [keyword: string]: unknown } }
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties: false
}

// A tool list is paid for in every conversation. What a model cannot use or would assume anyway is left out: the bounds
// of all whole numbers and those it never reaches, a pattern whose form the description shows, the type of an
// enumeration, defaults that mean nothing. Decoding still checks all of it, and its errors say what was meant.
const says = (schema: { readonly [keyword: string]: unknown }) => (keyword: string) => {
  const value = schema[keyword]
  switch (keyword) {
    case "minimum":
      return value !== Number.MIN_SAFE_INTEGER && value !== 0
    case "maximum":
      return typeof value === "number" && value < 10_000
    case "default":
      return value !== false && !(Array.isArray(value) && value.length === 0)
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

const compact = (
  schema: { readonly [keyword: string]: unknown },
  described = true
): { readonly [keyword: string]: unknown } =>
  Object.fromEntries(
    Object.keys(schema)
      .filter(says(schema))
      .filter((keyword) => described || keyword !== "description")
      .map((keyword) => {
        const value = schema[keyword]
        return [keyword, keyword === "items" && Predicate.isReadonlyObject(value) ? compact(value) : value]
      })
  )

/** Fields of nearly every tool: the server's instructions describe them, once. */
export const toldOnce: ReadonlyArray<string> = ["session"]

/** The input of an operation's tool: what is rare only where everything is shown. It is accepted all the same. */
export const schema = (operation: Operation.Any, profile: Profile.Name): Input => {
  const { properties, required } = Payload.published(operation)
  const left = [...Payload.unlisted, ...(profile === "full" ? [] : Operation.meta(operation).rare)]
  const shown = Object.entries(properties).filter(([field]) => !left.includes(field))
  return {
    type: "object",
    properties: Object.fromEntries(
      shown.map(([field, property]) => [field, compact(property, !toldOnce.includes(field))])
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
      return Array.isArray(value) ? value.map((item) => coerceValue(schema["items"], item)) : value
    default:
      return value
  }
}

/** The input with numbers, text and truth values in the form that the schema wants, where that is plain. */
export const coerce = (operation: Operation.Any, input: { readonly [field: string]: unknown }) => {
  const { properties } = Payload.published(operation)
  return Object.fromEntries(
    Object.entries(input).map(([field, value]) => [field, coerceValue(properties[field], value)])
  )
}
