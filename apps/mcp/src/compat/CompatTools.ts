/**
 * Runs the tools of `xcode-compat`: the operation that a call means, what the old answer needs beside it, and the answer
 * under both names.
 */
import { Effect, Predicate } from "effect"
import { McpSchema } from "effect/ai"
import { Operations, Payload } from "@sigtrap/protocol"
import type * as Catalogue from "../tools/Catalogue.ts"
import * as ToolMapping from "./ToolMapping.ts"
import * as CompatResult from "./CompatResult.ts"
import type { Keywords } from "../tools/ToolInput.ts"
import * as ClientInfo from "../server/ClientInfo.ts"
import * as ToolResult from "../tools/ToolResult.ts"
import * as Tools from "../tools/Tools.ts"

/** The data of an operation that reads; nothing when it fails. */
const read = (tag: string, fields: Keywords, shared: Tools.Shared): Effect.Effect<unknown> => {
  const operation = Operations.find(tag)
  if (operation === undefined) return Effect.undefined
  return Payload.decode(operation, Payload.fill(operation, fields, shared.caller)).pipe(
    Effect.flatMap((payload) => shared.client.callAny(operation, payload)),
    Effect.map(({ data }) => data),
    Effect.orElseSucceed(() => undefined)
  )
}

/** The id of the n-th thread, counted from 0. */
const threadAt = (index: number, fields: Keywords, shared: Tools.Shared) =>
  Effect.map(read("threads", { ...fields, limit: 1000 }, shared), (data) => {
    const threads = Predicate.isReadonlyObject(data) ? data["threads"] : undefined
    const thread: unknown = Array.isArray(threads) ? threads[index] : undefined
    return Predicate.isReadonlyObject(thread) ? thread["id"] : undefined
  })

/** What the old answer of a tool needs beside the answer of its operation. */
const beside = Effect.fnUntraced(function* (tool: string, input: Keywords, shared: Tools.Shared) {
  if (tool === "debug_lldb_command") return { command: input["command"] }
  if (tool !== "debug_variables") return {}
  const session = input["debugSessionId"] === undefined ? {} : { session: input["debugSessionId"] }
  const frame = input["frameIndex"] === undefined ? {} : { frame: Number(input["frameIndex"]) }
  return {
    globals: yield* read("globals", { ...session, ...frame }, shared),
    registers: yield* read("registers", { ...session, ...frame }, shared)
  }
})

const run = (tool: ToolMapping.Tool, input: Keywords, shared: Tools.Shared) =>
  Effect.gen(function* () {
    const peer = yield* ClientInfo.current(shared.text)
    const meant = yield* Effect.result(tool.step(input))
    if (meant._tag === "Failure") return yield* ToolResult.failure(meant.failure, { profile: shared.profile, input })
    const { input: fields, tag } = meant.success
    const operation = Operations.find(tag)
    if (operation === undefined) return yield* Effect.die(`there is no operation ${tag}`)
    const index = Number(input["threadIndex"] ?? Number.NaN)
    const thread = Number.isInteger(index) ? yield* threadAt(index, fields, shared) : undefined
    // An index that no thread has is left to the operation, which knows the threads that there are.
    const chosen = Number.isInteger(index) ? { thread: thread ?? index } : {}
    return yield* Tools.call(tool.name, operation, { ...fields, ...chosen }, peer, shared)
  })

/** Runs an old tool; its answer has both names. */
const renamed = (tool: ToolMapping.Tool, input: Keywords, shared: Tools.Shared) =>
  Effect.gen(function* () {
    const result = yield* run(tool, input, shared)
    if (Predicate.isTagged(result, "InputRequired")) return result
    const { content, isError, structuredContent } = result
    const structure = Predicate.isReadonlyObject(structuredContent) ? structuredContent : {}
    const failed = isError === true
    const data = failed
      ? CompatResult.failure(structure)
      : CompatResult.success(tool.name, structure, yield* beside(tool.name, input, shared))
    return new McpSchema.CallToolResult({ content, structuredContent: data, ...(failed ? { isError } : {}) })
  })

/** Registers the old tools whose operations are there. */
export const layer = (shared: Tools.Shared) => {
  const old = ToolMapping.tools()
  const tools = old.map((tool): Catalogue.Tool => ({
    name: tool.name,
    listed: true,
    operations: tool.operations,
    descriptor: tool.descriptor,
    meaning: () => Effect.die("an old tool means its step")
  }))
  return Tools.register(tools, shared, ({ name }, input) => {
    const tool = old.find((each) => each.name === name)
    const given = Predicate.isReadonlyObject(input) ? input : {}
    return tool === undefined ? Effect.die(`there is no tool ${name}`) : renamed(tool, given, shared)
  })
}
