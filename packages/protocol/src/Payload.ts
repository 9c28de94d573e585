/**
 * The payload of any operation: its published JSON Schema, and decoding of input from outside. Payloads are closed: an
 * unknown field is an error. Each surface converts its own input first, such as argv or numbers written as text.
 */
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { Usage } from "./Errors.ts"
import * as Hint from "./answers/Hint.ts"
import { isPlain } from "./internal/Plain.ts"
import * as Operation from "./Operation.ts"
import * as Session from "./model/Session.ts"
import * as Settings from "./settings/Settings.ts"

/** The closed JSON Schema of an operation's payload, without references. */
export interface Published {
  readonly type: "object"
  readonly properties: { readonly [field: string]: JsonSchema.JsonSchema }
  readonly required: ReadonlyArray<string>
  readonly additionalProperties: false
}

/** What a surface knows about its caller. `fill` adds it to payloads that have these fields. */
export interface Caller {
  readonly directory: string
  readonly environment: { readonly [name: string]: string }
  /** The configuration in the caller's directory. */
  readonly settings?: Settings.Values
}

/** The fields that surfaces fill in and never show to callers. */
export const callerFields: ReadonlyArray<string> = ["directory", "environment", "settings"] satisfies ReadonlyArray<
  keyof Caller
>

/** The fields that no list shows: `callerFields`, and the id for retries. */
export const unlisted: ReadonlyArray<string> = [...callerFields, "request_id"]

const cache = new WeakMap<Operation.Any, Published>()

/** Returns the JSON Schema of an operation's payload (draft 2020-12), with all its fields. */
export const published = (operation: Operation.Any): Published => {
  const known = cache.get(operation)
  if (known !== undefined) return known
  const fresh = publish(operation)
  cache.set(operation, fresh)
  return fresh
}

/** Replaces references by their definitions. Payloads refer only to small models, never to themselves. */
const inline = (value: unknown, definitions: JsonSchema.Definitions): unknown => {
  if (Array.isArray(value)) return value.map((item) => inline(item, definitions))
  if (!Predicate.isReadonlyObject(value)) return value
  const name = Predicate.isString(value["$ref"]) ? value["$ref"].replace("#/$defs/", "") : undefined
  if (name !== undefined) return inline(definitions[name], definitions)
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inline(part, definitions)]))
}

const publish = (operation: Operation.Any): Published => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(operation.payloadSchema)
  const properties: Record<string, JsonSchema.JsonSchema> = {}
  if (Predicate.isReadonlyObject(schema["properties"])) {
    for (const [field, property] of Object.entries(schema["properties"])) {
      const whole = inline(property, definitions)
      if (Predicate.isObject(whole)) properties[field] = whole
    }
  }
  const required = Array.isArray(schema["required"]) ? schema["required"].filter(Predicate.isString) : []
  return { type: "object", properties, required, additionalProperties: false }
}

const names = new WeakMap<Operation.Any, ReadonlyArray<string>>()

/** Returns the names of the fields of an operation's payload. They take no JSON Schema, whose computation takes milliseconds. */
export const fieldNames = (operation: Operation.Any): ReadonlyArray<string> => {
  const known = names.get(operation)
  if (known !== undefined) return known
  const { ast } = operation.payloadSchema
  const fresh = SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
  names.set(operation, fresh)
  return fresh
}

/** True if an operation's payload has a field of this name. */
export const hasField = (operation: Operation.Any, field: string): boolean => fieldNames(operation).includes(field)

/** Adds the caller's facts and the configured values to a payload, for fields that the operation has and `input` lacks. */
export const fill = (operation: Operation.Any, input: object, caller: Caller): object => {
  const { settings = {}, ...rest } = caller
  const { settings: configured } = Operation.meta(operation)
  const session = Settings.ofSession(settings)
  const known = Object.entries({ ...rest, ...(Object.keys(session).length === 0 ? {} : { settings: session }) })
  return {
    ...Object.fromEntries(known.filter(([field]) => hasField(operation, field))),
    ...(Object.values(configured).some((key) => settings[key] !== undefined)
      ? Settings.fields(configured, published(operation).properties, settings)
      : {}),
    ...input
  }
}

/**
 * Lowers the field that bounds the text of an answer to `most` bytes. Other operations are unchanged. A value that is not a
 * number is left to the decoder.
 */
export const bounded = <Fields extends { readonly [field: string]: unknown }>(
  operation: Operation.Any,
  fields: Fields,
  most: number
): Fields | (Fields & { readonly [field: string]: number }) => {
  const { budget } = Operation.meta(operation)
  if (budget === undefined) return fields
  const wanted = fields[budget] ?? most
  return Predicate.isNumber(wanted) ? { ...fields, [budget]: Math.max(1, Math.min(wanted, most)) } : fields
}

/** What is wrong with a field, where the problem of the schema is one of these. */
const empty = "must not be empty"
const missing = "is missing"

/** The check of a text or list that must not be empty. */
const lengthCheck = "effect/schema/isMinLength"

/** True for the check of a text or list that must not be empty, whatever its message is. */
const isEmptyCheck = ({ filter }: SchemaIssue.Filter): boolean => {
  const check = filter.annotations?.representation
  return (
    check !== undefined &&
    check.id === lengthCheck &&
    Predicate.hasProperty(check.payload, "minLength") &&
    check.payload.minLength === 1
  )
}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1({
  checkHook: (issue) => SchemaIssue.defaultCheckHook(issue) ?? (isEmptyCheck(issue) ? empty : undefined),
  leafHook: (issue) => (issue._tag === "MissingKey" ? missing : SchemaIssue.defaultLeafHook(issue))
})

/** Describes each problem once; an empty text or list has no other problem. */
const describe = (issue: SchemaIssue.Issue, name: (field: string) => string): string => {
  const emptyFields = new Set<string>()
  const problems = formatIssues(issue).issues.map(({ message, path = [] }) => {
    const [first, ...inside] = path.map(String)
    // A list that must have an element lacks its first one.
    if (first !== undefined && (message === empty || (message === missing && path[1] === 0))) emptyFields.add(first)
    return { message, first, inside }
  })
  const lines = problems.flatMap(({ first, inside, message }) => {
    if (first !== undefined && emptyFields.has(first)) return [`${name(first)} ${empty}`]
    const field = first === undefined ? "" : [name(first), ...inside].join(".")
    return [field === "" ? message : message === missing ? `${field} ${missing}` : `${field}: ${message}`]
  })
  return [...new Set(lines)].join("; ")
}

/** A session name that callers may write. */
const isName = Schema.is(Session.Name)

/** Returns true if the session of the input is malformed, and the operation acts on a session that exists. */
const misnames = (operation: Operation.Any, { session }: { readonly [field: string]: unknown }): boolean =>
  session !== undefined && !isName(session) && !Object.hasOwn(published(operation).properties, "replace")

/**
 * Decodes a payload from outside. Fails with `Usage`, which names every wrong field as callers of the surface write it:
 * `name` converts a field's name.
 */
export const decode = Effect.fnUntraced(function* (
  operation: Operation.Any,
  input: unknown,
  name: (field: string) => string = (field) => field
) {
  const schema = operation.payloadSchema
  const remedies = [Hint.help(operation._tag)]
  if (!Predicate.isReadonlyObject(input)) {
    return yield* new Usage({ problem: "the payload is not an object", near: [], remedies })
  }
  const fields = fieldNames(operation)
  const unknown = Object.keys(input).filter((field) => !fields.includes(field))
  if (unknown.length > 0) {
    const listed = fields.filter((field) => !unlisted.includes(field))
    const there = listed.length === 0 ? "there are none" : `there are: ${listed.join(", ")}`
    return yield* new Usage({ problem: `no field ${unknown.join(", ")}; ${there}`, near: [], remedies })
  }
  if (!isPlain(schema)) return yield* Effect.die(`${operation._tag} has no payload schema`)
  const payload = yield* Schema.decodeUnknownEffect(schema)(input, { errors: "all" }).pipe(
    Effect.mapError(
      ({ issue }) =>
        new Usage({
          problem: describe(issue, name),
          near: [],
          remedies: misnames(operation, input) ? [Hint.call("sessions", {})] : remedies
        })
    )
  )
  if (Predicate.isObject(payload)) inputs.set(payload, { operation, input })
  return payload
})

/** What payloads were decoded from. */
const inputs = new WeakMap<object, { readonly operation: Operation.Any; readonly input: object }>()

const encoders = new WeakMap<Operation.Any, (payload: unknown) => unknown>()

/**
 * Returns a decoded payload as JSON: what `decode` made it of, otherwise the encoded payload with the defaults of its fields. Throws if
 * it has another form than its schema.
 */
export const encode = (operation: Operation.Any, payload: unknown): unknown => {
  const decoded = Predicate.isObject(payload) ? inputs.get(payload) : undefined
  if (decoded?.operation === operation) return decoded.input
  const known = encoders.get(operation)
  if (known !== undefined) return known(payload)
  const schema = operation.payloadSchema
  if (!isPlain(schema)) throw new Error(`${operation._tag} has no payload schema`)
  const toJson = Schema.encodeUnknownSync(Schema.toCodecJson(schema))
  const fresh = (value: unknown) => toJson(schema.make(value))
  encoders.set(operation, fresh)
  return fresh(payload)
}
