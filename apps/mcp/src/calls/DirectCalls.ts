/**
 * Runs calls of tools from the lines of standard input, without the library's decoding, dispatch and encoding of messages, which
 * take longer than the call itself.
 *
 * The first call of a connection goes through the library, which negotiated what the client can do. Later ones use that. A message
 * that is not certainly the usual one goes to the library too: other fields, an unknown tool, an id in use.
 */
import { Effect, Fiber, Option, Predicate, type Scope } from "effect"
import { McpSchema } from "effect/ai"
import * as Handshake from "../start/Handshake.ts"

type Answer = McpSchema.CallToolResult | McpSchema.InputRequired

/** Runs a tool. */
type Handle = (input: unknown) => Effect.Effect<Answer, never, McpSchema.McpRequestContext>

/** What the library knows of the client of a connection. */
interface Connection {
  readonly context: McpSchema.McpRequestContext["Service"]
  readonly client: McpSchema.McpServerClient["Service"]
}

/** The protocol revisions whose results may have structured content, which is an object. */
const structuring: ReadonlySet<string> = new Set(["2025-06-18", "2025-11-25"])

type Id = string | number

/** A request that calls a tool. */
interface Call {
  readonly id: Id
  readonly name: string
  readonly input: unknown
  readonly metadata: Readonly<Record<string, unknown>> | undefined
}

const isId = (value: unknown): value is Id =>
  Predicate.isString(value) || (Predicate.isNumber(value) && Number.isFinite(value))

/** True if an object has no other fields than these. */
const hasOnly = (value: object, fields: ReadonlySet<string>): boolean => {
  for (const field in value) if (!fields.has(field)) return false
  return true
}

const ofMessage = new Set(["jsonrpc", "id", "method", "params"])
const ofParams = new Set(["name", "arguments", "_meta"])
const ofMetadata = new Set(["progressToken"])

/** Returns the call that a message is, if it has only the usual fields. */
const callOf = (message: unknown): Call | undefined => {
  if (!Predicate.isReadonlyObject(message) || message["method"] !== "tools/call") return undefined
  const { id, jsonrpc, params } = message
  if (jsonrpc !== "2.0" || !isId(id) || !hasOnly(message, ofMessage)) return undefined
  if (!Predicate.isReadonlyObject(params) || !hasOnly(params, ofParams)) return undefined
  const { _meta: metadata, arguments: input = {}, name } = params
  if (!Predicate.isString(name) || !Predicate.isReadonlyObject(input)) return undefined
  if (metadata === undefined) return { id, name, input, metadata }
  if (!Predicate.isReadonlyObject(metadata) || !hasOnly(metadata, ofMetadata)) return undefined
  return isId(metadata["progressToken"]) ? { id, name, input, metadata } : undefined
}

/** Returns the id of the request that a message cancels. */
const cancelled = (message: unknown): Id | undefined => {
  if (!Predicate.isReadonlyObject(message) || message["method"] !== "notifications/cancelled") return undefined
  const id = Predicate.isReadonlyObject(message["params"]) ? message["params"]["requestId"] : undefined
  return isId(id) ? id : undefined
}

/** Returns the result as the library encodes it. */
const encoded = ({ content, isError, structuredContent }: McpSchema.CallToolResult, revision: string): string => {
  const isSent = structuring.has(revision) && Predicate.isReadonlyObject(structuredContent)
  return JSON.stringify({
    content,
    ...(isSent ? { structuredContent } : {}),
    ...(isError === undefined ? {} : { isError })
  })
}

/** Returns the line that answers a call after a defect. */
const failed = (id: Id): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: McpSchema.INTERNAL_ERROR_CODE, message: "Internal error" } })}\n`

/** The calls of one connection. */
export class DirectCalls {
  readonly #tools = new Map<string, Handle>()
  readonly #running = new Map<Id, Fiber.Fiber<void>>()
  #connection: Connection | undefined

  /** Adds a tool. Returns it as the library calls it: its first call tells about the client. */
  add(name: string, handle: Handle): Handle {
    this.#tools.set(name, handle)
    return (input) => Effect.andThen(this.#learn, handle(input))
  }

  readonly #learn = Effect.gen({ self: this }, function* () {
    const context = yield* McpSchema.McpRequestContext
    const client = Option.getOrUndefined(yield* Effect.serviceOption(McpSchema.McpServerClient))
    if (client !== undefined) this.#connection = { context, client }
  })

  /**
   * Takes a message if it is a call, or cancels one. `write` writes the line of an answer. Returns false if the library must read
   * the message. Calls end with the scope.
   */
  take(message: unknown, write: (line: string) => Effect.Effect<void>, scope: Scope.Scope): Effect.Effect<boolean> {
    if (Predicate.isReadonlyObject(message) && message["method"] === "initialize") this.#connection = undefined
    const fiber = this.#running.get(cancelled(message) ?? "")
    if (fiber !== undefined) {
      // At once: the answer to the next line says that the call was cancelled.
      fiber.interruptUnsafe()
      return Effect.succeed(true)
    }
    const connection = this.#connection
    const call = connection === undefined ? undefined : callOf(message)
    const handle = call === undefined ? undefined : this.#tools.get(call.name)
    if (connection === undefined || call === undefined || handle === undefined || this.#running.has(call.id)) {
      return Effect.succeed(false)
    }
    const { id, input, metadata } = call
    const { context, client } = connection
    const work = Effect.flatMap(handle(input), (answer) =>
      // Only clients of a revision without connections are asked for input by an answer.
      answer instanceof McpSchema.CallToolResult
        ? write(Handshake.response(id, encoded(answer, client.protocolVersion)))
        : Effect.die("an answer asks for input")
    ).pipe(
      Effect.catchDefect((defect) => Effect.andThen(Effect.logError(defect), write(failed(id)))),
      Effect.provideService(McpSchema.McpRequestContext, { ...context, requestMetadata: metadata }),
      Effect.provideService(McpSchema.McpServerClient, { ...client, requestMetadata: metadata }),
      Effect.onExit(() => Effect.sync(() => this.#running.delete(id)))
    )
    return Effect.map(Effect.forkIn(work, scope, { startImmediately: true }), (running) => {
      // A call that has ended already is not noted.
      if (running.pollUnsafe() === undefined) this.#running.set(id, running)
      return true
    })
  }

  /** Waits for the calls that run. */
  readonly settled: Effect.Effect<void> = Effect.suspend(() => Fiber.awaitAll([...this.#running.values()]))
}
