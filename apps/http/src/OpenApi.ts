/**
 * The OpenAPI 3.1 document, computed from the operations: paths, request bodies, answers, and the errors of each operation
 * by HTTP status; and the paths other than operations.
 */
import * as Access from "@sigtrap/host/http/Access"
import * as PageTokens from "@sigtrap/host/http/PageTokens"
import { JsonSchema, Schema } from "effect"
import * as OperationTable from "./OperationTable.ts"
import { ClientHttp, Effects, Envelope, Errors, Feed, Operation, Operations, Payload } from "@sigtrap/protocol"

/** The path of the stream of observers. */
export const streamPath = "/v1/stream"

/** The path where the page exchanges its code for a token. */
export const pagePath = "/v1/page"
/** The path where a page gets the code of a read-only link. */
export const linkPath = "/v1/page/link"

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
  properties: { ok: { const: true }, cmd: text, command: text, ...Object(answer["properties"]), ...parts },
  required: ["ok", "cmd", ...(Array.isArray(answer["required"]) ? answer["required"] : [])]
})

const failure = (description: string) => ({ description, content: json({ $ref: "#/components/schemas/Failure" }) })

/** What a refusal by each access rule means. */
const meanings: ReadonlyArray<readonly [rule: Access.Rule, text: string]> = [
  ["size", "The body is too large"],
  ["host", "The Host header does not name this server"],
  ["origin", "The request comes from another origin"],
  ["fetch-site", "The request comes from another site"],
  ["token", "The token is missing, wrong or expired"],
  ["media-type", "The body is not application/json"]
]

/** Returns a response for each status of the access rules, and for another method. */
const refusals = (): ReadonlyArray<readonly [string, object]> => {
  const byStatus = new Map<number, ReadonlyArray<string>>([[405, ["The path does not take this method"]]])
  for (const [rule, text] of meanings) {
    const status = Access.rules[rule]
    byStatus.set(status, [...(byStatus.get(status) ?? []), text])
  }
  return [...byStatus].map(([status, texts]) => [String(status), failure(texts.join("; "))])
}

/** Returns a response for each HTTP status that an operation can fail with; its description lists the error codes. */
const failures = (operation: Operation.Any): ReadonlyArray<readonly [string, object]> => {
  const byStatus = new Map<number, Set<string>>()
  for (const error of [
    ...Operation.meta(operation).errors,
    Errors.AccessDenied,
    ...Errors.limits,
    ...Errors.transport
  ]) {
    const { code, httpApiStatus } = Errors.meta({ _tag: Errors.tagOf(error) })
    byStatus.set(httpApiStatus, (byStatus.get(httpApiStatus) ?? new Set()).add(code))
  }
  return [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, codes]) => [String(status), failure([...codes].toSorted().join(", "))])
}

/** True if an operation has the field `follow`: the answer is then one envelope per line. */
const isFollowed = (operation: Operation.Any): boolean => Payload.hasField(operation, "follow")

const ndjson = (schema: unknown) => ({ "application/x-ndjson": { schema } })

/** Joins responses; those of one status become one, with both descriptions. */
const joined = (...lists: ReadonlyArray<ReadonlyArray<readonly [string, object]>>) => {
  const all: Record<string, object> = {}
  for (const [status, response] of lists.flat()) {
    const before: { readonly description?: string } = all[status] ?? {}
    const { description = "" }: { readonly description?: string } = response
    all[status] = before.description === undefined ? response : failure([before.description, description].join("; "))
  }
  return all
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
      "200": {
        description: isFollowed(operation)
          ? "The answer; with follow and Accept: application/x-ndjson one answer per line"
          : "The answer",
        content: {
          ...json(envelope(answer, parts)),
          ...(isFollowed(operation) ? ndjson(envelope(answer, parts)) : {})
        }
      },
      ...joined(refusals(), failures(operation))
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
    paths[ClientHttp.path(operation)] = { post: describe(operation, converted.schemas[0], parts) }
    Object.assign(schemas, converted.definitions)
  }
  return { paths, schemas }
}

/** What each tier allows, as the descriptions of the tags. */
const tierTexts: { readonly [T in Effects.Tier]: string } = {
  observe: "Reads sessions and source files.",
  control: "Runs, stops and steps the program.",
  evaluate: "Evaluates expressions, which may run code of the program.",
  write: "Changes the program, or writes files.",
  admin: "Starts programs, attaches to processes, and runs commands of the debugger.",
  owner: "Administers the daemon; not served over HTTP."
}

/** Returns the paths other than operations, and the schemas that they refer to. */
const ownPaths = (): Contents => {
  const { definitions, schemas } = JsonSchema.toMultiDocumentOpenApi3_1(multiDocument())
  const [request, line, page, rows] = schemas
  const link = json({
    type: "object",
    properties: {
      ok: { const: true },
      data: {
        type: "object",
        properties: { code: { type: "string" }, expires: { type: "number" } },
        required: ["code", "expires"]
      }
    },
    required: ["ok", "data"]
  })
  const opened = json({ type: "object", properties: { ok: { const: true }, data: page }, required: ["ok", "data"] })
  const table = { description: "Each operation with its path, tier and fields", content: json(rows) }
  return {
    schemas: definitions,
    paths: {
      "/health": {
        get: {
          operationId: "health",
          summary: "Say that the server runs",
          security: [],
          responses: {
            "200": { description: "It runs", content: json({ type: "object", properties: { ok: { const: true } } }) }
          }
        }
      },
      "/v1/operations": {
        get: {
          operationId: "operations",
          summary: "List the operations",
          responses: { "200": table, ...joined(refusals()) }
        }
      },
      [pagePath]: {
        post: {
          operationId: "page",
          summary: "Exchange the one-time code of the page's address for a token",
          description:
            "The page sends the code that `sigtrap web` put into its address. A code works once, for a minute.",
          security: [],
          requestBody: {
            required: true,
            content: json({ type: "object", properties: { code: { type: "string" } }, required: ["code"] })
          },
          responses: {
            "200": { description: "The token, its end and tiers, and the actor of its calls", content: opened },
            "400": failure("USAGE"),
            "409": failure("INVALID_STATE: the server has no daemon, or the token cannot be stored"),
            ...joined(refusals(), [
              ["401", failure("The code is wrong, used or expired")],
              ["403", failure("The code was sent by a process of another user")]
            ])
          }
        }
      },
      [linkPath]: {
        post: {
          operationId: "pageLink",
          summary: "Make a read-only link to a session",
          description:
            "For a page with the tier control: answers the one-time code of a link with which another page may only observe the session.",
          requestBody: {
            required: true,
            content: json({ type: "object", properties: { session: { type: "string" } }, required: ["session"] })
          },
          responses: {
            "200": { description: "The code and its end", content: link },
            "400": failure("USAGE"),
            "409": failure("INVALID_STATE: the caller has no page, or may not"),
            ...joined(refusals())
          }
        }
      },
      [streamPath]: {
        post: {
          operationId: "stream",
          summary: "Observe sessions, their events and their output",
          description:
            "Sends one line per event until the client disconnects or the server stops. With Accept: text/event-stream the lines are server-sent events; the id of the last one continues a stream as Last-Event-ID.",
          tags: ["observe"],
          requestBody: { required: true, content: json(request) },
          responses: {
            "200": { description: "The lines", content: { ...ndjson(line), "text/event-stream": { schema: line } } },
            "400": failure("USAGE"),
            ...joined(refusals())
          }
        }
      }
    }
  }
}

/** The schemas of the paths other than operations, as one document. */
const multiDocument = () => {
  const [request, line, page, rows] = [Feed.Request, Feed.Line, PageTokens.Opened, OperationTable.Table].map((schema) =>
    Schema.toJsonSchemaDocument(schema)
  )
  return {
    dialect: "draft-2020-12" as const,
    schemas: [request?.schema ?? {}, line?.schema ?? {}, page?.schema ?? {}, rows?.schema ?? {}] as const,
    definitions: { ...request?.definitions, ...line?.definitions, ...page?.definitions, ...rows?.definitions }
  }
}

let cached: Contents | undefined

const withOwnPaths = ({ paths, schemas }: Contents): Contents => {
  const own = ownPaths()
  return { paths: { ...paths, ...own.paths }, schemas: { ...schemas, ...own.schemas } }
}

/** Returns the document of a server that answers at `url`. The operations are described at the first call, in about 200 ms. */
export const document = (options: { readonly version: string; readonly url: string }) => {
  const { paths, schemas } = (cached ??= withOwnPaths(makeContents()))
  return {
    openapi: "3.1.0",
    info: { title: "sigtrap", version: options.version, description: "One debugger session, shared" },
    servers: [{ url: options.url }],
    security: [{ token: [] }],
    tags: Effects.tiers.map((name) => ({ name, description: tierTexts[name] })),
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas
    }
  }
}
