/**
 * Who is asking: what the client of a request can do, as far as the protocol tells and as far as it has been measured.
 */
import { Effect, Option, Predicate } from "effect"
import { McpSchema } from "effect/ai"
import { HttpServerRequest } from "effect/http"

/** How much an answer says in words: `auto` looks at the client, `line` is for those that read the structure. */
export const texts = ["auto", "full", "line"] as const
/** How much an answer says in words. */
export type Text = (typeof texts)[number]

/**
 * Clients that give their model the structured content of a result and drop its text. For them the text is one line:
 * nobody reads more. Errors are the other way round everywhere: their text is what arrives.
 */
const structureReaders = new Set(["claude-code", "codex-mcp-client"])

/** The client of one request. */
export interface Peer {
  /** What its grants and notes are kept under: its session over HTTP, the one connection of standard input else. */
  readonly key: string | undefined
  /** Whether its model is given the structured content alone. */
  readonly readsStructure: boolean
  /** Where progress is wanted. */
  readonly progressToken: string | number | undefined
  /** Asks the person at the client to fill in a form; absent when the client cannot while a call is running. */
  readonly elicit:
    | ((
        form: Form
      ) => Effect.Effect<
        McpSchema.ElicitResult,
        McpSchema.McpReverseOperationError | McpSchema.McpReverseOperationUnsupported
      >)
    | undefined
  /** Whether it can be answered with a request for input, and repeats its call then. */
  readonly repeats: boolean
  /** What it brought along from such a request, by name. */
  readonly responses: Readonly<Record<string, McpSchema.McpInputResponse>>
}

/** A form for a person. */
export interface Form {
  readonly message: string
  readonly requestedSchema: (typeof McpSchema.ElicitRequestFormParams.Type)["requestedSchema"]
}

const tokenOf = (metadata: unknown): string | number | undefined => {
  const token = Predicate.isReadonlyObject(metadata) ? metadata["progressToken"] : undefined
  return Predicate.isString(token) || Predicate.isNumber(token) ? token : undefined
}

/** Whether a client said that it can show forms. */
const showsForms = ({ elicitation }: McpSchema.ClientCapabilities): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)

/** The client of the current request. */
export const current = Effect.fnUntraced(function* (text: Text) {
  const context = yield* McpSchema.McpRequestContext
  const client = Option.getOrUndefined(yield* Effect.serviceOption(McpSchema.McpServerClient))
  const request = Option.getOrUndefined(yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest))
  const forms = showsForms(context.clientCapabilities)
  const peer: Peer = {
    key: request === undefined ? "stdio" : request.headers["mcp-session-id"],
    readsStructure: text === "line" || (text === "auto" && structureReaders.has(context.clientInfo?.name ?? "")),
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
    responses: context.inputResponses ?? {}
  }
  return peer
})
