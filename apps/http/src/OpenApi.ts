/**
 * The OpenAPI 3.1 document, computed from the operations: paths, bodies, answers, and the errors of each by status.
 */
import { JsonSchema, Schema } from "effect"
import { Envelope, Errors, Operation, Operations, Payload } from "@sigtrap/protocol"

/** Where an operation is posted: `/v1/breakpoint/list`. */
export const path = (operation: Operation.Any): string => `/v1/${operation._tag.replaceAll(".", "/")}`

const text = { type: "string" }

const json = (schema: unknown) => ({ "application/json": { schema } })

/** The parts of an envelope that are the same for every operation, by name, and what they refer to. */
const shared = () => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(Envelope.Shared)
  const { schemas, definitions: found } = JsonSchema.toMultiDocumentOpenApi3_1({
    dialect: "draft-2020-12",
    schemas: [schema],
    definitions
  })
  return { properties: Object(schemas[0]["properties"]), definitions: found }
}

/** The answer's schema with what the envelope adds to it. */
const envelope = (
  answer: JsonSchema.JsonSchema,
  { failure: _, ...parts }: object & { readonly failure?: unknown }
) => ({
  ...answer,
  properties: { ok: { const: true }, cmd: text, ...Object(answer["properties"]), ...parts },
  required: ["ok", "cmd", ...(Array.isArray(answer["required"]) ? answer["required"] : [])]
})

/** The errors of an operation as this surface answers them: each status with its codes. */
const failures = (operation: Operation.Any) => {
  const byStatus = new Map<number, Set<string>>()
  for (const error of [...Operation.meta(operation).errors, Errors.Usage, Errors.Permission, ...Errors.transport]) {
    const { code, httpApiStatus } = Errors.meta({ _tag: Errors.tagOf(error) })
    byStatus.set(httpApiStatus, (byStatus.get(httpApiStatus) ?? new Set()).add(code))
  }
  return [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, codes]) => [
      String(status),
      { description: [...codes].toSorted().join(", "), content: json({ $ref: "#/components/schemas/Failure" }) }
    ])
}

const describe = (operation: Operation.Any, answer: JsonSchema.JsonSchema, parts: object) => {
  const { summary, description, tier, examples } = Operation.meta(operation)
  const named = examples.map(({ title, input }) => [title, { summary: title, value: input }])
  return {
    operationId: operation._tag.replaceAll(".", "_"),
    summary,
    description,
    tags: [tier],
    requestBody: {
      required: true,
      content: { "application/json": { schema: Payload.published(operation), examples: Object.fromEntries(named) } }
    },
    responses: {
      "200": { description: "The answer", content: json(envelope(answer, parts)) },
      ...Object.fromEntries(failures(operation))
    }
  }
}

/** The document. `url` is where this server answers. */
export const document = (options: { readonly version: string; readonly url: string }) => {
  const paths: Record<string, unknown> = {}
  const parts = shared()
  const schemas: Record<string, JsonSchema.JsonSchema> = { ...parts.definitions, Failure: parts.properties.failure }
  for (const operation of Operations.all) {
    const { schema, definitions } = Schema.toJsonSchemaDocument(operation.successSchema)
    const converted = JsonSchema.toMultiDocumentOpenApi3_1({
      dialect: "draft-2020-12",
      schemas: [schema],
      definitions
    })
    paths[path(operation)] = { post: describe(operation, converted.schemas[0], parts.properties) }
    Object.assign(schemas, converted.definitions)
  }
  return {
    openapi: "3.1.0",
    info: { title: "sigtrap", version: options.version, description: "One debugger session, shared" },
    servers: [{ url: options.url }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas
    }
  }
}
