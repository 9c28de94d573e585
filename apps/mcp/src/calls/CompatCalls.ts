/**
 * Runs the tools of `xcode-compat`: calls the operation of each tool and adds the field names of XcodeBuildMCP to its
 * result.
 */
import { Effect, Predicate } from "effect"
import { McpSchema } from "effect/ai"
import type { Operations } from "@sigtrap/protocol"
import * as CompatResult from "../compat/CompatResult.ts"
import * as ToolMapping from "../compat/ToolMapping.ts"
import type { Keywords } from "../tools/ToolInput.ts"
import * as ToolResult from "../results/ToolResult.ts"
import * as ClientInfo from "./ClientInfo.ts"
import * as OperationData from "./OperationData.ts"
import * as ToolCalls from "./ToolCalls.ts"

const read = ({ caller, client }: ToolCalls.Shared, tag: Operations.Tag, fields: Keywords) =>
  OperationData.read(client, caller, tag, fields)

/** Returns the id of the thread at an index from 0. */
const threadAt = (index: number, fields: Keywords, shared: ToolCalls.Shared) =>
  Effect.map(read(shared, "threads", { ...fields, limit: 1000 }), (data) => {
    const threads = Predicate.isReadonlyObject(data) ? data["threads"] : undefined
    const thread: unknown = Array.isArray(threads) ? threads[index] : undefined
    return Predicate.isReadonlyObject(thread) ? thread["id"] : undefined
  })

/** Reads what a tool's result contains besides the data of its operation. */
const readExtras = Effect.fnUntraced(function* (tool: string, input: Keywords, shared: ToolCalls.Shared) {
  if (tool === "debug_lldb_command") return { command: input["command"] }
  if (tool !== "debug_variables") return {}
  const session = input["debugSessionId"] === undefined ? {} : { session: input["debugSessionId"] }
  const frame = input["frameIndex"] === undefined ? {} : { frame: Number(input["frameIndex"]) }
  return {
    globals: yield* read(shared, "globals", { ...session, ...frame }),
    registers: yield* read(shared, "registers", { ...session, ...frame })
  }
})

/** Calls the operation of a tool. */
const call = Effect.fnUntraced(function* (tool: ToolMapping.Tool, input: Keywords, shared: ToolCalls.Shared) {
  const mcpClient = yield* ClientInfo.current
  const resolved = yield* Effect.result(tool.resolve(input))
  if (resolved._tag === "Failure")
    return yield* ToolResult.failure(resolved.failure, { profile: shared.profile, input }, "server")
  const { input: fields, operation, unused } = resolved.success
  const index = Number(input["threadIndex"] ?? Number.NaN)
  const thread = Number.isInteger(index) ? yield* threadAt(index, fields, shared) : undefined
  // An index without a thread is passed on as an id: the operation's error lists the threads.
  const selected = Number.isInteger(index) ? { thread: thread ?? index } : {}
  const notes =
    unused.length === 0
      ? []
      : [{ code: "UNUSED", message: `${unused.join(", ")} ${unused.length === 1 ? "has" : "have"} no effect here` }]
  return yield* ToolCalls.call(
    tool.name,
    operation,
    { ...fields, ...selected },
    { mcpClient, structured: true, notes },
    shared
  )
})

/** Runs a tool. Its result has the field names of XcodeBuildMCP beside those of sigtrap. */
const run = Effect.fnUntraced(function* (tool: ToolMapping.Tool, input: Keywords, shared: ToolCalls.Shared) {
  const result = yield* call(tool, input, shared)
  if (Predicate.isTagged(result, "InputRequired")) return result
  const { content, isError, structuredContent } = result
  const structure = Predicate.isReadonlyObject(structuredContent) ? structuredContent : {}
  const failed = isError === true
  const data = failed
    ? CompatResult.failure(structure)
    : CompatResult.success(tool.name, structure, yield* readExtras(tool.name, input, shared))
  return new McpSchema.CallToolResult({ content, structuredContent: data, ...(failed ? { isError } : {}) })
})

/** Registers the tools. */
export const register = (shared: ToolCalls.Shared) =>
  ToolCalls.register(
    ToolMapping.tools().map((tool) => ({
      tool: { ...tool, listed: true },
      handle: (input) => run(tool, input, shared)
    })),
    shared
  )
