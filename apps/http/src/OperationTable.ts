/**
 * `GET /v1/operations`: a small table of the operations, from which a client can offer commands without the whole document.
 */
import { ClientHttp, Effects, Envelope, Operation, Operations, Payload } from "@sigtrap/protocol"
import { Predicate, Schema } from "effect"

/** An operation: its tag, the words of its command, its path, the tier that it needs, and its fields. */
const Row = Schema.Struct({
  tag: Schema.String,
  words: Schema.String,
  path: Schema.String,
  tier: Schema.Literals(Effects.tiers),
  summary: Schema.String,
  description: Schema.String,
  fields: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      type: Schema.String,
      required: Schema.Boolean,
      description: Schema.String
    })
  )
}).annotate({ identifier: "OperationRow" })
/** What the table says of one operation. */
export type Row = typeof Row.Type

/** What the path answers. */
export const Table = Schema.Struct({ operations: Schema.Array(Row) })

const textOf = (value: unknown): string => (Predicate.isString(value) ? value : "")

const typeOf = (property: unknown): string => {
  if (!Predicate.isReadonlyObject(property)) return "any"
  const { anyOf, enum: values, items, type } = property
  if (Array.isArray(values)) return values.map((value: unknown) => JSON.stringify(value)).join(" | ")
  if (type === "array") return `list of ${typeOf(items)}`
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(" | ")
  return textOf(type) || "any"
}

const rowOf = (operation: Operation.Any): Row => {
  const { description, summary, tier } = Operation.meta(operation)
  const { properties, required } = Payload.published(operation)
  return {
    tag: operation._tag,
    words: Envelope.command(operation),
    path: ClientHttp.path(operation),
    tier,
    summary,
    description,
    fields: Object.entries(properties).map(([name, property]) => ({
      name,
      type: typeOf(property),
      required: required.includes(name),
      description: Predicate.isReadonlyObject(property) ? textOf(property["description"]) : ""
    }))
  }
}

let cached: ReadonlyArray<Row> | undefined

/** All operations, by tag. */
export const rows = (): ReadonlyArray<Row> => (cached ??= Operations.all.map(rowOf))
