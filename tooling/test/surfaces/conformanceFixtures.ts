/**
 * The tools, resources and prompts whose names and answers the conformance suite of MCP prescribes. The product has none of
 * them; a server of the tests registers them besides its own.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { asked, embedded, image, png, string, text, tools } from "./conformanceTools.ts"

type Prompt = Parameters<McpServer.McpServer["Service"]["addPrompt"]>[0]

const user = (content: (typeof McpSchema.PromptMessage.Type)["content"]) => ({ role: "user" as const, content })

const message = (...contents: ReadonlyArray<Parameters<typeof user>[0]>) =>
  Effect.succeed(new McpSchema.GetPromptResult({ messages: contents.map(user) }))

/** The prompts: name, required arguments and the messages. */
const prompts: ReadonlyArray<readonly [name: string, args: ReadonlyArray<string>, handle: Prompt["handle"]]> = [
  ["test_simple_prompt", [], () => message(text("This is a simple prompt for testing."))],
  [
    "test_prompt_with_arguments",
    ["arg1", "arg2"],
    ({ arg1, arg2 }) => message(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))
  ],
  [
    "test_prompt_with_embedded_resource",
    ["resourceUri"],
    ({ resourceUri = "" }) =>
      message(
        embedded(resourceUri, "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above.")
      )
  ],
  ["test_prompt_with_image", [], () => message(image, text("Please analyze the image above."))],
  [
    "test_input_required_result_prompt",
    [],
    Effect.fnUntraced(function* () {
      const { inputResponses } = yield* McpSchema.McpRequestContext
      const context = inputResponses?.["user_context"]
      if (context !== undefined) return yield* message(text(`Context: ${JSON.stringify(context)}`))
      const form = asked.form("What context should the prompt use?", { context: string })
      return new McpSchema.InputRequired({ inputRequests: { user_context: form } })
    })
  ]
]

type Content = (typeof McpSchema.ReadResourceResult.Type)["contents"][number]

const resource = (name: string, content: Content & { readonly mimeType: string }) => {
  const { mimeType, uri } = content
  const read = Effect.succeed(McpSchema.ReadResourceResult.make({ contents: [content] }))
  return McpServer.resource({ uri, name, mimeType, content: read })
}

const resources = Layer.mergeAll(
  resource("static text", {
    uri: "test://static-text",
    mimeType: "text/plain",
    text: "This is the content of the static text resource."
  }),
  resource("static binary", { uri: "test://static-binary", mimeType: "image/png", blob: Uint8Array.from(png) }),
  resource("watched", { uri: "test://watched-resource", mimeType: "text/plain", text: "watched" }),
  McpServer.resource`test://template/${Schema.String}/data`({
    name: "template",
    mimeType: "application/json",
    content: (_, id) => Effect.succeed(JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }))
  })
)

/** Registers them. */
export const layer = Layer.mergeAll(
  resources,
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const annotations = Context.empty()
      for (const [tool, inputSchema, handle] of tools(server)) {
        yield* server.addTool({
          tool: new McpSchema.Tool({ name: tool, description: tool, inputSchema }),
          annotations,
          handle
        })
      }
      for (const [prompt, args, handle] of prompts) {
        const first = args[0]
        yield* server.addPrompt({
          prompt: new McpSchema.Prompt({
            name: prompt,
            description: prompt,
            arguments: args.map((one) => ({ name: one, required: true }))
          }),
          annotations,
          completions: first === undefined ? {} : { [first]: () => Effect.succeed(McpSchema.CompleteResult.empty) },
          handle
        })
      }
    })
  )
)
