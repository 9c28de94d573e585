/**
 * The error of a resource that does not exist. Its code is -32002, from revision 2026-07-28 on -32602 (MCP specification,
 * "resources", error handling). The library answers each failure of a resource with -32603, so the reason goes past it.
 */
import { Context, Effect } from "effect"
import { McpSchema, McpServer } from "effect/ai"

/** The reason why the resource of a request does not exist, once known. */
interface Found {
  reason: string | undefined
}

const Missing = Context.Reference<Found>("@sigtrap/mcp/MissingResource", {
  defaultValue: () => ({ reason: undefined })
})

/** Fails the request with a sentence that says what does not exist. */
export const fail = Effect.fnUntraced(function* (reason: string): Effect.fn.Return<never, Error> {
  const missing = yield* Missing
  missing.reason = reason
  return yield* Effect.fail(new Error(reason))
})

const codeOf = (revision: string): number => (revision < "2026-07-28" ? -32_002 : McpSchema.INVALID_PARAMS_ERROR_CODE)

/** Answers a request for a resource that does not exist. Every resource needs its layer. */
export const middleware = McpServer.middleware((effect, { method, requestContext, target }) => {
  if (method !== "resources/read") return effect
  const missing: Found = { reason: undefined }
  return effect.pipe(
    Effect.provideService(Missing, missing),
    Effect.mapError((error) =>
      missing.reason === undefined
        ? error
        : new McpSchema.McpErrorBase({
            code: codeOf(requestContext.protocolVersion),
            message: missing.reason,
            data: { uri: target }
          })
    )
  )
})
