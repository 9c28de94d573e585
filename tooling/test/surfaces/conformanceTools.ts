/**
 * The tools whose names and answers the conformance suite of MCP prescribes: contents of every kind, logs, progress, questions
 * during a call and by a repeated call, schemas.
 */
import { Effect, Option, Schema } from "effect"
import { McpSchema, type McpServer } from "effect/ai"
import { createHmac } from "node:crypto"

const { InputRequired, McpRequestContext, McpServerClient } = McpSchema

type Server = McpServer.McpServer["Service"]
type Tool = Parameters<Server["addTool"]>[0]
type Handle = Tool["handle"]

/** A content of text. */
export const text = (value: string) => McpSchema.TextContent.make({ text: value })
const result = (...content: (typeof McpSchema.CallToolResult.Type)["content"]) =>
  new McpSchema.CallToolResult({ content })
const answer = (value: string) => Effect.succeed(result(text(value)))

/** One red pixel. */
export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
  "base64"
)
/** A header without samples. */
const wav = Buffer.from("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=", "base64")
/** A content with one red pixel. */
export const image = McpSchema.ImageContent.make({ data: png, mimeType: "image/png" })
/** A content with a resource. */
export const embedded = (uri: string, mimeType: string, value: string) =>
  McpSchema.EmbeddedResource.make({ resource: { uri, mimeType, text: value } })

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined

const object = (properties: object, required: ReadonlyArray<string> = Object.keys(properties)) => ({
  type: "object" as const,
  properties,
  required
})
/** The schema of a text. */
export const string = { type: "string" }
const noFields = object({})

/** The client of a session, which a server can ask during a call. */
const reverse = Effect.gen(function* () {
  const client = Option.getOrUndefined(yield* Effect.serviceOption(McpServerClient))
  if (client === undefined) return yield* new McpSchema.InternalError({ message: "this client cannot be asked" })
  return yield* client.getClient
})

const failed = (error: unknown) => new McpSchema.InternalError({ message: String(error) })

/** Asks with a form during a call. */
const elicit = (message: string, properties: object, required: ReadonlyArray<string> = []) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* reverse
      const form = { mode: "form", message, requestedSchema: { type: "object", properties, required } }
      const params = yield* Effect.orDie(Schema.decodeUnknownEffect(McpSchema.ElicitRequestFormParams)(form))
      const given = yield* client.elicit(params).pipe(Effect.mapError(failed))
      return result(
        text(`Elicitation completed: action=${given.action}, content=${JSON.stringify(field(given, "content"))}`)
      )
    })
  )

/** Requests of input for clients that repeat their call with it. */
export const asked = {
  form: (message: string, properties: object) => ({
    method: "elicitation/create" as const,
    params: { mode: "form", message, requestedSchema: object(properties) }
  }),
  sampling: (question: string) => ({
    method: "sampling/createMessage" as const,
    params: { messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens: 100 }
  }),
  roots: { method: "roots/list" as const, params: {} }
}

const name = asked.form("What is your name?", { name: string })

/** Signs a state, so that a changed one is recognized. */
const signed = (state: string) => `${state}.${createHmac("sha256", "conformance").update(state).digest("hex")}`

/** Asks for inputs until a call has all of them. A state that this server did not sign is refused. */
const repeated = (
  rounds: ReadonlyArray<{ readonly [key: string]: McpSchema.McpInputRequest }>,
  done: (responses: { readonly [key: string]: unknown }) => string,
  withState = false
): Handle =>
  Effect.fnUntraced(function* () {
    const { inputResponses: responses = {}, requestState: state } = yield* McpRequestContext
    const states = rounds.map((_, index) => signed(`round ${index + 1}`))
    if (state !== undefined && !states.includes(state)) {
      return yield* new McpSchema.InvalidParams({ message: "the state was changed" })
    }
    const round = state === undefined || !withState ? 0 : states.indexOf(state)
    const isComplete = Object.keys(rounds[round] ?? {}).every((key) => key in responses)
    const inputRequests = rounds[isComplete ? round + 1 : round]
    const requestState = states[isComplete ? round + 1 : round]
    if (inputRequests === undefined) return result(text(done(responses)))
    return new InputRequired({ inputRequests, ...(withState && requestState !== undefined ? { requestState } : {}) })
  })

/** Keywords of JSON Schema. As text, because an object with a member `then` could be taken for a promise. */
const conditions: object = JSON.parse(
  `{"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]}}`
)

const jsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: string, city: string }
    }
  },
  properties: {
    name: string,
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: string,
    email: string
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  ...conditions,
  additionalProperties: false
}

const options = ["option1", "option2", "option3"]
const titled = (what: string) =>
  ["First", "Second", "Third"].map((nth, index) => ({ const: `value${index + 1}`, title: `${nth} ${what}` }))

const enums = {
  untitledSingle: { type: "string", enum: options },
  titledSingle: { type: "string", oneOf: titled("Option") },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"]
  },
  untitledMulti: { type: "array", items: { type: "string", enum: options } },
  titledMulti: { type: "array", items: { anyOf: titled("Choice") } }
}

const defaults = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true }
}

/** The tools: name, schema and what a call does. */
export const tools = (server: Server): ReadonlyArray<readonly [name: string, inputSchema: object, handle: Handle]> => {
  const log = (data: string) => server.notifications["notifications/message"]({ level: "info", data })
  return [
    ["test_simple_text", noFields, () => answer("This is a simple text response for testing.")],
    ["test_image_content", noFields, () => Effect.succeed(result(image))],
    [
      "test_audio_content",
      noFields,
      () => Effect.succeed(result(McpSchema.AudioContent.make({ data: wav, mimeType: "audio/wav" })))
    ],
    [
      "test_embedded_resource",
      noFields,
      () =>
        Effect.succeed(
          result(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))
        )
    ],
    [
      "test_multiple_content_types",
      noFields,
      () =>
        Effect.succeed(
          result(
            text("Multiple content types test:"),
            image,
            embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
          )
        )
    ],
    [
      "test_error_handling",
      noFields,
      () =>
        Effect.succeed(
          new McpSchema.CallToolResult({
            content: [text("This tool intentionally returns an error for testing")],
            isError: true
          })
        )
    ],
    ...["test_tool_with_logging", "test_logging_tool"].map(
      (tool) =>
        [
          tool,
          noFields,
          () =>
            Effect.forEach(
              ["Tool execution started", "Tool processing data", "Tool execution completed"],
              (message) => log(message),
              { discard: true }
            ).pipe(Effect.andThen(answer("logged")))
        ] as const
    ),
    [
      "test_tool_with_progress",
      noFields,
      Effect.fnUntraced(function* () {
        const client = Option.getOrUndefined(yield* Effect.serviceOption(McpServerClient))
        const { requestMetadata } = client ?? (yield* McpRequestContext)
        const token = field(requestMetadata, "progressToken")
        if (typeof token === "string" || typeof token === "number") {
          for (const progress of [0, 50, 100]) {
            yield* server.notifications["notifications/progress"]({ progressToken: token, progress, total: 100 })
          }
        }
        return result(text("done"))
      })
    ],
    [
      "test_sampling",
      object({ prompt: string }),
      (input: unknown) =>
        Effect.scoped(
          Effect.gen(function* () {
            const client = yield* reverse
            const prompt = String(field(input, "prompt"))
            const { content } = yield* client
              .createMessage({ messages: [{ role: "user" as const, content: text(prompt) }], maxTokens: 100 })
              .pipe(Effect.mapError(failed))
            return result(text(`LLM response: ${JSON.stringify(content)}`))
          })
        )
    ],
    [
      "test_elicitation",
      object({ message: string }),
      (input: unknown) =>
        elicit(String(field(input, "message")), { username: string, email: string }, ["username", "email"])
    ],
    ["test_elicitation_sep1034_defaults", noFields, () => elicit("Check the defaults", defaults)],
    ["test_elicitation_sep1330_enums", noFields, () => elicit("Choose", enums)],
    ["json_schema_2020_12_tool", jsonSchema, () => answer("valid")],
    [
      "test_custom_headers",
      object({ region: { type: "string", "x-mcp-header": "Region" } }),
      (input: unknown) => answer(String(field(input, "region")))
    ],
    [
      "test_input_required_result_elicitation",
      noFields,
      repeated(
        [{ user_name: name }],
        ({ user_name: user }) => `Hello, ${String(field(field(user, "content"), "name"))}!`
      )
    ],
    [
      "test_input_required_result_sampling",
      noFields,
      repeated([{ capital_question: asked.sampling("What is the capital of France?") }], (all) => JSON.stringify(all))
    ],
    [
      "test_input_required_result_list_roots",
      noFields,
      repeated([{ client_roots: asked.roots }], (all) => JSON.stringify(all))
    ],
    [
      "test_input_required_result_request_state",
      noFields,
      repeated([{ confirm: asked.form("Please confirm", { ok: { type: "boolean" } }) }], () => "state-ok", true)
    ],
    [
      "test_input_required_result_tampered_state",
      noFields,
      repeated([{ confirm: asked.form("Please confirm", { ok: { type: "boolean" } }) }], () => "state-ok", true)
    ],
    [
      "test_input_required_result_multiple_inputs",
      noFields,
      repeated(
        [{ user_name: name, greeting: asked.sampling("Generate a greeting"), client_roots: asked.roots }],
        (all) => JSON.stringify(all),
        true
      )
    ],
    [
      "test_input_required_result_multi_round",
      noFields,
      repeated(
        [
          { step1: asked.form("Step 1: What is your name?", { name: string }) },
          { step2: asked.form("Step 2: What is your favorite color?", { color: string }) }
        ],
        (all) => JSON.stringify(all),
        true
      )
    ],
    [
      "test_input_required_result_capabilities",
      noFields,
      Effect.fnUntraced(function* () {
        const { clientCapabilities: able } = yield* McpRequestContext
        return new InputRequired({
          inputRequests: {
            ...(able.elicitation === undefined ? {} : { user_name: name }),
            ...(able.sampling === undefined ? {} : { greeting: asked.sampling("Generate a greeting") })
          }
        })
      })
    ],
    ["test_missing_capability", noFields, repeated([{ greeting: asked.sampling("Generate a greeting") }], () => "")],
    ["test_streaming_elicitation", noFields, repeated([{ user_name: name }], () => "")],
    [
      "test_trigger_tool_change",
      noFields,
      () => Effect.andThen(server.notifications["notifications/tools/list_changed"]({}), answer("changed"))
    ],
    [
      "test_trigger_prompt_change",
      noFields,
      () => Effect.andThen(server.notifications["notifications/prompts/list_changed"]({}), answer("changed"))
    ]
  ]
}
