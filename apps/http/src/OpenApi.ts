/**
 * The OpenAPI 3.1 document, computed from the operations: paths, request bodies, answers, and the errors of each operation
 * by HTTP status.
 */
import { JsonSchema, Schema } from "effect"
import { Envelope, Errors, Operation, Operations, Payload } from "@sigtrap/protocol"

/** Returns the path of an operation: `/v1/breakpoint/list`. */
export const path = (operation: Operation.Any): string => `/v1/${operation._tag.replaceAll(".", "/")}`

const text = { type: "string" }

const json = (schema: unknown) => ({ "application/json": { schema } })

/** Returns the schemas of the parts that all envelopes share, and the definitions that they refer to. */
const shared = () => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(Envelope.Shared)
  const converted = JsonSchema.toMultiDocumentOpenApi3_1({ dialect: "draft-2020-12", schemas: [schema], definitions })
  const { failure, truncated, warnings }: { readonly [part: string]: JsonSchema.JsonSchema } = Object(
    converted.schemas[0]["properties"]
  )
  return { failure, parts: { truncated, warnings }, definitions: converted.definitions }
}

/** Adds the fields of the envelope to the schema of an answer. */
const envelope = (answer: JsonSchema.JsonSchema, parts: object) => ({
  ...answer,
  properties: { ok: { const: true }, cmd: text, ...Object(answer["properties"]), ...parts },
  required: ["ok", "cmd", ...(Array.isArray(answer["required"]) ? answer["required"] : [])]
})

/** Returns a response for each HTTP status that an operation can fail with; its description lists the error codes. */
const failures = (operation: Operation.Any) => {
  const byStatus = new Map<number, Set<string>>()
  for (const error of [...Operation.meta(operation).errors, Errors.Permission, ...Errors.limits, ...Errors.transport]) {
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

/** What the document says of the operations. It is the same for every server. */
interface Contents {
  readonly paths: Readonly<Record<string, unknown>>
  readonly schemas: Readonly<Record<string, JsonSchema.JsonSchema>>
}

const makeContents = (): Contents => {
  const paths: Record<string, unknown> = {}
  const { definitions: common, failure = {}, parts } = shared()
  const schemas: Record<string, JsonSchema.JsonSchema> = { ...common, Failure: failure }
  for (const operation of Operations.all) {
    const { schema, definitions } = Schema.toJsonSchemaDocument(operation.successSchema)
    const converted = JsonSchema.toMultiDocumentOpenApi3_1({
      dialect: "draft-2020-12",
      schemas: [schema],
      definitions
    })
    paths[path(operation)] = { post: describe(operation, converted.schemas[0], parts) }
    Object.assign(schemas, converted.definitions)
  }
  return { paths, schemas }
}

let cached: Contents | undefined

/** Returns the document of a server that answers at `url`. The operations are described at the first call, in about 200 ms. */
export const document = (options: { readonly version: string; readonly url: string }) => {
  const { paths, schemas } = (cached ??= makeContents())
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
