/**
 * Every operation as an MCP tool. Names, titles, descriptions, schemas and annotations are computed from the operation;
 * nothing is written down twice. Result schemas are left out on purpose: spelled out for each tool they would cost an
 * agent several times what everything else in the list does.
 */
import { Context, Effect, Layer, Predicate } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { Client, Errors, Operation, Payload, type Settings } from "@sigtrap/protocol"
import * as Input from "./Input.ts"
import * as Profile from "./Profile.ts"
import * as Result from "./Result.ts"

/** The name of an operation's tool: `breakpoint_list`. */
export const name = (operation: Operation.Any): string => operation._tag.replaceAll(".", "_")

/** An operation's tool as `tools/list` shows it. */
const descriptor = (operation: Operation.Any, profile: Profile.Name): McpSchema.Tool => {
  const { summary, description, tier } = Operation.meta(operation)
  const readOnly = tier === "observe"
  return new McpSchema.Tool({
    name: name(operation),
    title: summary,
    description,
    inputSchema: { ...Input.schema(operation, profile) },
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: tier === "admin" || tier === "write",
      idempotentHint: readOnly,
      openWorldHint: false
    }
  })
}

const decode = Effect.fnUntraced(function* (
  operation: Operation.Any,
  fields: { readonly [field: string]: unknown },
  caller: Payload.Caller
) {
  const filled = Payload.callerFields.filter((field) => field in fields)
  if (filled.length > 0) {
    return yield* new Errors.Usage({
      problem: `this server fills in ${filled.join(" and ")} itself`,
      near: [],
      help: `sigtrap ${operation._tag.replaceAll(".", " ")} --help`
    })
  }
  return yield* Payload.decode(operation, Payload.fill(operation, fields, caller))
})

/** What is configured where the server was started, read at each call. */
export type Configured = Effect.Effect<Settings.Values, Errors.InvalidConfig>

/** Calls an operation with the arguments of its tool. Errors are results; a cancelled call is interrupted. */
const call = (operation: Operation.Any, input: unknown, who: Payload.Caller, configured: Configured) =>
  Effect.gen(function* () {
    const caller = { ...who, settings: yield* configured }
    const client = yield* Client.Client
    const fields = Input.coerce(operation, Predicate.isReadonlyObject(input) ? input : {})
    const payload = yield* decode(operation, fields, caller)
    const answer = yield* client.callAny(operation, payload)
    return yield* Result.success(operation, answer, { directory: caller.directory, input: fields })
  }).pipe(
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError(defect), new Errors.Internal({ detail: `${name(operation)} failed; see the log` }))
    ),
    Effect.catch((error) => Result.failure(error, operation))
  )

/** Registers the operations of a profile with the server. `caller` is who the tools act for: this process's directory and environment. */
export const layer = (caller: Payload.Caller, profile: Profile.Name, configured: Configured = Effect.succeed({})) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const client = yield* Client.Client
      for (const operation of Profile.operations(profile)) {
        yield* server.addTool({
          tool: descriptor(operation, profile),
          annotations: Context.empty(),
          handle: (input: unknown) =>
            Effect.provideService(call(operation, input, caller, configured), Client.Client, client)
        })
      }
    })
  )
