/**
 * What the client of a request can do, as its capabilities state and as measured.
 */
import { Effect, Option, Predicate } from "effect"
import { McpSchema } from "effect/ai"
import { HttpServerRequest } from "effect/http"

/** The client of one request. */
export interface ClientInfo {
  /** The key of its consents and warnings: its MCP session over HTTP, one key for standard input. */
  readonly key: string | undefined
  /** The token of its progress notifications, if it asked for them. */
  readonly progressToken: string | number | undefined
  /** Shows the user a form; absent if the client cannot do so during a call. */
  readonly elicit:
    | ((
        form: Form
      ) => Effect.Effect<
        McpSchema.ElicitResult,
        McpSchema.McpReverseOperationError | McpSchema.McpReverseOperationUnsupported
      >)
    | undefined
  /** True if it accepts a request for input as an answer and then repeats its call. */
  readonly repeats: boolean
  /** The inputs of a repeated call, by name. */
  readonly responses: Readonly<Record<string, McpSchema.McpInputResponse>>
  /** The state that the answer asking for input had, if this call repeats one. */
  readonly state: string | undefined
  /** The name that the client gives itself. */
  readonly name: string | undefined
}

/** A form for the user. */
export interface Form {
  readonly message: string
  readonly requestedSchema: (typeof McpSchema.ElicitRequestFormParams.Type)["requestedSchema"]
}

const tokenOf = (metadata: unknown): string | number | undefined => {
  const token = Predicate.isReadonlyObject(metadata) ? metadata["progressToken"] : undefined
  return Predicate.isString(token) || Predicate.isNumber(token) ? token : undefined
}

/** True if the capabilities include forms. An `elicitation` capability that names no kind means forms (MCP specification). */
const showsForms = ({ elicitation }: McpSchema.ClientCapabilities): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)

/** Returns the client of the current request. */
export const current = Effect.gen(function* () {
  const context = yield* McpSchema.McpRequestContext
  const client = Option.getOrUndefined(yield* Effect.serviceOption(McpSchema.McpServerClient))
  const request = Option.getOrUndefined(yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest))
  const forms = showsForms(context.clientCapabilities)
  const mcpClient: ClientInfo = {
    key: request === undefined ? "stdio" : request.headers["mcp-session-id"],
    progressToken: tokenOf(client === undefined ? context.requestMetadata : client.requestMetadata),
    elicit:
      client === undefined || !forms
        ? undefined
        : (form) =>
            Effect.scoped(
              Effect.flatMap(client.getClient, (reverse) =>
                reverse.elicit(new McpSchema.ElicitRequestFormParams({ mode: "form", ...form }))
              )
            ),
    repeats: client === undefined && forms,
    responses: context.inputResponses ?? {},
    state: context.requestState,
    name: context.clientInfo?.name
  }
  return mcpClient
})
