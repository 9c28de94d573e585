/**
 * The tools of a profile, registered with the server, and what a call goes through: which operation it means, whether it
 * may be called, its fields, the wait, the answer.
 */
import { Effect, Layer, Predicate } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { Client, Errors, Hint, type Operation, Payload, type Settings } from "@sigtrap/protocol"
import * as Catalogue from "./Catalogue.ts"
import * as Consent from "../server/Consent.ts"
import * as OperationSchemas from "./OperationSchemas.ts"
import * as ToolInput from "./ToolInput.ts"
import * as StoredTexts from "./StoredTexts.ts"
import * as ToolAvailability from "../server/ToolAvailability.ts"
import * as ClientInfo from "../server/ClientInfo.ts"
import * as Profile from "./Profile.ts"
import * as ToolResult from "./ToolResult.ts"
import * as CallProgress from "../server/CallProgress.ts"

/** The name of an operation's own tool: `breakpoint_list`. */
export const name = Catalogue.name

/** How the tools of a server are set up. */
export interface Options {
  /** Who the tools act for: this process's directory and environment. */
  readonly caller: Payload.Caller
  /** What is configured where the server was started, read at each call. */
  readonly configured?: Effect.Effect<Settings.Values, Errors.InvalidConfig>
  readonly profile: Profile.Name
  /** Tiers for which nobody has to be asked. */
  readonly allow: ReadonlyArray<Consent.Tier>
  readonly text: ClientInfo.Text
  /** Whether clients can be told that the list has changed. */
  readonly follows: boolean
  /** Is told which session an answer was about. */
  readonly seen?: (session: string | undefined) => Effect.Effect<void>
}

/** What the calls of one server share. */
export interface Shared extends Options {
  readonly client: Client.Client["Service"]
  readonly consent: Consent.Consent
  readonly waiting: CallProgress.Waiting
  readonly offer: ToolAvailability.Offer
  readonly kept: StoredTexts.Kept
  /** Tells the client's log something that a person may want to see. */
  readonly log: (level: "info" | "error", data: string) => Effect.Effect<void>
}

const usage = (problem: string, operation: Operation.Any) =>
  new Errors.Usage({ problem, near: [], remedies: [Hint.help(operation._tag)] })

const decode = Effect.fnUntraced(function* (operation: Operation.Any, fields: ToolInput.Keywords, options: Options) {
  const filled = Payload.callerFields.filter((field) => field in fields)
  if (filled.length > 0) return yield* usage(`this server fills in ${filled.join(" and ")} itself`, operation)
  const refused = Profile.refused(options.profile, operation).filter((field) => fields[field] === true)
  if (refused.length > 0) {
    return yield* usage(`${refused.join(" and ")} changes something, which this profile's tool does not`, operation)
  }
  const settings = yield* options.configured ?? Effect.succeed({})
  return yield* Payload.decode(operation, Payload.fill(operation, fields, { ...options.caller, settings }))
})

/** Calls an operation for a client. Errors are results; a cancelled call is interrupted. */
export const call = (
  tool: string,
  operation: Operation.Any,
  input: ToolInput.Keywords,
  peer: ClientInfo.Peer,
  shared: Shared
): Effect.Effect<McpSchema.CallToolResult | McpSchema.InputRequired> => {
  const setting = {
    directory: shared.caller.directory,
    input,
    profile: shared.profile,
    readsStructure: peer.readsStructure,
    kept: shared.kept
  }
  return Effect.gen(function* () {
    const fields = ToolInput.coerce(operation, input)
    const payload = yield* decode(operation, fields, shared)
    const asked = yield* shared.consent.ask(tool, operation, fields, peer)
    if (asked !== undefined) return asked
    const answer = yield* shared.waiting.during(shared.client.callAny(operation, payload), operation, fields, peer)
    shared.consent.began(operation, answer.session, peer)
    yield* shared.offer.answered(operation, answer)
    if (Consent.begins(operation)) yield* shared.log("info", `session ${answer.session ?? ""} began by ${tool}`)
    yield* shared.seen?.(answer.session) ?? Effect.void
    return yield* ToolResult.success(operation, answer, { ...setting, input: fields }, shared.waiting.told(peer))
  }).pipe(
    Effect.catchDefect((defect) =>
      Effect.logError(defect).pipe(
        Effect.andThen(shared.log("error", `${tool} broke inside; the server's standard error has more`)),
        Effect.andThen(new Errors.Internal({ detail: `${tool} failed; see the log` }))
      )
    ),
    Effect.catch((error) => Effect.andThen(shared.offer.refused(operation, error), ToolResult.failure(error, setting)))
  )
}

/** What `operate` means beside operations: a page of a long text, and an operation's description. */
const aside = Effect.fnUntraced(function* (input: ToolInput.Keywords, peer: ClientInfo.Peer, shared: Shared) {
  const { operation: asked, input: fields } = input
  if (asked === "more" && Predicate.isReadonlyObject(fields)) {
    const page = yield* ToolResult.page(
      shared.kept,
      Number(fields["result"]),
      Number(fields["from"] ?? 0),
      peer.readsStructure
    )
    const gone = new Errors.Usage({
      problem: "that text is not kept any more",
      near: [],
      remedies: [Hint.remedy("make the call again that it was the answer of")]
    })
    return page ?? (yield* ToolResult.failure(gone, { profile: shared.profile, input }))
  }
  const operation = Predicate.isString(asked) ? Catalogue.find(shared.profile, asked) : undefined
  if (operation === undefined || fields !== undefined) return undefined
  const document = OperationSchemas.document(operation)
  // In words it is enough to say what the list of tools would say; the structure has every bound.
  const properties = Object.entries(document.input.properties).map(([field, property]) => [
    field,
    ToolInput.compact(property)
  ])
  const text = { ...document, input: { ...document.input, properties: Object.fromEntries(properties) } }
  const words = peer.readsStructure ? `${operation._tag}: what it takes` : JSON.stringify(text)
  return ToolResult.told(words, document, shared.kept)
})

/** Runs a tool. */
const run = (tool: Catalogue.Tool, input: unknown, shared: Shared) =>
  Effect.gen(function* () {
    const peer = yield* ClientInfo.current(shared.text)
    const given = Predicate.isReadonlyObject(input) ? input : {}
    const answer = tool.name === Catalogue.operate ? yield* aside(given, peer, shared) : undefined
    if (answer !== undefined) return answer
    const meant = yield* Effect.result(tool.meaning(given))
    return meant._tag === "Failure"
      ? yield* ToolResult.failure(meant.failure, { profile: shared.profile, input: given })
      : yield* call(tool.name, meant.success.operation, meant.success.input, peer, shared)
  })

/** What the calls of a server share. */
export const share = Effect.fnUntraced(function* (options: Options) {
  const server = yield* McpServer.McpServer
  const client = yield* Client.Client
  const shared: Shared = {
    ...options,
    client,
    consent: Consent.make(options.allow, client),
    waiting: CallProgress.make(server),
    offer: ToolAvailability.make(server, client, options.follows),
    kept: StoredTexts.make(),
    log: (level, data) => server.notifications["notifications/message"]({ level, logger: "sigtrap", data })
  }
  return shared
})

/** Registers tools with the server; the list shows those that are listed and offered. */
export const register = (
  tools: ReadonlyArray<Catalogue.Tool>,
  shared: Shared,
  handle: (tool: Catalogue.Tool, input: unknown) => ReturnType<typeof run>
) => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const gate = McpServer.visibility(({ method, target }) =>
    Effect.sync(() => {
      if (method !== "tools/list") return true
      const tool = byName.get(target)
      // The first of the list: one reading of it is one reading.
      if (target === tools[0]?.name) shared.offer.listed()
      return tool !== undefined && tool.listed && shared.offer.shows(tool)
    })
  )
  return Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const services = yield* Effect.context<never>()
      for (const tool of tools) {
        yield* server.addTool({
          tool: new McpSchema.Tool({ ...tool.descriptor, inputSchema: { ...tool.descriptor.inputSchema } }),
          annotations: services,
          services,
          handle: (input: unknown) => handle(tool, input)
        })
      }
    })
  ).pipe(Layer.provide(gate.layer))
}

/** Registers the tools of a profile with the server. */
export const registered = (tools: ReadonlyArray<Catalogue.Tool>, shared: Shared) =>
  register(tools, shared, (tool, input) => run(tool, input, shared))

/** The tools of a profile and nothing else. */
export const layer = (options: Options) =>
  Layer.unwrap(Effect.map(share(options), (shared) => registered(Catalogue.tools(options.profile), shared)))
