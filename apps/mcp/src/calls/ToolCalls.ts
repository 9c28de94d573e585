/**
 * Registers the tools of a profile and runs their calls: finds the operation, decodes its fields, asks for consent, calls
 * it with progress reports, and makes the result.
 */
import { Effect, Layer, Predicate } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import {
  type Answer,
  Caller,
  Client,
  Errors,
  Hint,
  Operation,
  OutputPage,
  Payload,
  type Settings
} from "@sigtrap/protocol"
import * as Catalogue from "../tools/Catalogue.ts"
import * as Consent from "./Consent.ts"
import * as OperationData from "./OperationData.ts"
import * as OperateTool from "../tools/OperateTool.ts"
import * as OperationSchemas from "../tools/OperationSchemas.ts"
import * as ScriptInput from "../tools/ScriptInput.ts"
import * as ToolInput from "../tools/ToolInput.ts"
import * as StoredTexts from "../results/StoredTexts.ts"
import * as ToolAvailability from "./ToolAvailability.ts"
import * as ClientInfo from "./ClientInfo.ts"
import * as Profile from "../tools/Profile.ts"
import type * as Tool from "../tools/Tool.ts"
import * as ResultLimits from "../results/ResultLimits.ts"
import * as ToolResult from "../results/ToolResult.ts"
import * as CallProgress from "./CallProgress.ts"
import type { DirectCalls } from "./DirectCalls.ts"

/** The options of a server's tools. */
export interface Options {
  /** The directory and environment of this process, added to each payload. */
  readonly caller: Payload.Caller
  /** The settings that a call uses, of the directory where the server was started; see `ConfigCache.valuesFor`. */
  readonly configured?: (operation: Operation.Any) => Effect.Effect<Settings.Values, Errors.InvalidConfig>
  readonly profile: Profile.Name
  /** What needs no consent. */
  readonly allow: ReadonlyArray<Consent.Grant>
  /** True if each result has its data as structured content too. A call can ask for its own with `structured`. */
  readonly structured: boolean
  /** True if the transport can notify clients that the tool list changed. */
  readonly notifies: boolean
  /** Called with the availability of the tools when they are registered. */
  readonly onAvailability?: (availability: ToolAvailability.ToolAvailability) => void
  /** Runs calls that do not go through the library; see `DirectCalls`. */
  readonly direct?: DirectCalls
  /** Called with the session of each answer. */
  readonly onSession?: (session: string | undefined) => Effect.Effect<void>
}

/** State and services that all calls of a server share. */
export interface Shared extends Options {
  readonly client: Client.Client["Service"]
  readonly consent: Consent.Consent
  readonly progress: CallProgress.CallProgress
  readonly availability: ToolAvailability.ToolAvailability
  readonly texts: StoredTexts.StoredTexts
  /** Writes to the log that clients show to users. */
  readonly log: (level: "info" | "error", data: string) => Effect.Effect<void>
}

const usage = (problem: string, operation: Operation.Any) =>
  new Errors.Usage({ problem, near: [], remedies: [Hint.help(operation._tag)] })

/** Decodes the fields of a call, with directory, environment and settings added. */
const decode = Effect.fnUntraced(function* (operation: Operation.Any, fields: ToolInput.Keywords, options: Options) {
  const filled = Payload.callerFields.filter((field) => field in fields)
  if (filled.length > 0) return yield* usage(`the server sets ${filled.join(" and ")}; leave it out`, operation)
  const refused = Profile.refused(options.profile, operation).filter(
    (field) => fields[field] !== undefined && fields[field] !== false
  )
  if (refused.length > 0) {
    return yield* usage(`this profile is read-only, so ${refused.join(" and ")} is refused`, operation)
  }
  const settings = options.configured === undefined ? {} : yield* options.configured(operation)
  const bounded = Payload.bounded(operation, fields, ResultLimits.textLimit)
  return yield* Payload.decode(operation, Payload.fill(operation, bounded, { ...options.caller, settings }))
})

/** Returns the debugger of the session that a call concerns, for a form. */
const adapterOf = (fields: ToolInput.Keywords, { caller, client }: Shared) =>
  Effect.map(
    OperationData.read(client, caller, "status", fields["session"] === undefined ? {} : { session: fields["session"] }),
    (data) => {
      const adapter = Predicate.isReadonlyObject(data) ? data["adapter"] : undefined
      const name = Predicate.isReadonlyObject(adapter) ? adapter["name"] : undefined
      return Predicate.isString(name) ? name : undefined
    }
  )

/**
 * Calls an operation as its client. The daemon decides what is asked of a person; `Consent` shows its questions. Returns what
 * the client has to answer, if it repeats calls itself.
 */
const permitted = Effect.fnUntraced(function* (
  operation: Operation.Any,
  payload: unknown,
  fields: ToolInput.Keywords,
  mcpClient: ClientInfo.ClientInfo,
  shared: Shared
) {
  const name = mcpClient.name?.slice(0, 128)
  const actor: Caller.Actor = {
    kind: "mcp",
    ...(name === undefined ? {} : { name }),
    project: shared.caller.directory
  }
  const call = shared.progress.report(shared.client.callAny(operation, payload), operation, fields, mcpClient)
  // The owner decided what a granted token allows: no form adds to it, and the name of the client does not count.
  if ((yield* Caller.Current).grant !== undefined) return yield* call
  const client = mcpClient.key === undefined ? {} : { client: mcpClient.key }
  return yield* shared.consent.permitted({ operation, fields, adapter: adapterOf(fields, shared) }, mcpClient, {
    attempt: (terms) => Effect.provideService(call, Caller.Current, { actor, ...terms, ...client }),
    answer: (id, answer) =>
      shared.client
        .call("ask.answer", { id, answer })
        .pipe(
          Effect.provideService(Caller.Current, { actor: { ...actor, person: true }, allowance: Caller.everything }),
          Effect.ignore
        )
  })
})

/** Who calls, and what the result has. */
export interface Request {
  readonly mcpClient: ClientInfo.ClientInfo
  /** True if the result has structured content. */
  readonly structured: boolean
  /** Warnings about the input. */
  readonly notes?: ReadonlyArray<Answer.Warning>
}

/** Calls an operation for a client. An error becomes a result; cancellation by the client interrupts. */
export const call = (
  tool: string,
  operation: Operation.Any,
  input: ToolInput.Keywords,
  { mcpClient, notes = [], structured }: Request,
  shared: Shared
): Effect.Effect<McpSchema.CallToolResult | McpSchema.InputRequired> => {
  const context = {
    directory: shared.caller.directory,
    input,
    profile: shared.profile,
    texts: shared.texts,
    structured
  }
  let origin: "server" | "script" | "daemon" = "server"
  return Effect.gen(function* () {
    const fields = ScriptInput.normalized(operation, ToolInput.coerce(operation, input), shared.profile)
    const payload = yield* decode(operation, fields, shared)
    // The mistakes in a script are the client's own words, unless they are in a file.
    const isScript = Operation.meta(operation).composite && fields["file"] === undefined
    origin = isScript ? "script" : "daemon"
    const answer = yield* permitted(operation, payload, fields, mcpClient, shared)
    if (answer instanceof McpSchema.InputRequired) return answer
    yield* shared.availability.onAnswer(operation, answer)
    if (Consent.startsSession(operation)) {
      yield* shared.log("info", `${tool} started session ${answer.session ?? ""}`)
    }
    yield* shared.onSession?.(answer.session) ?? Effect.void
    const shown = { ...context, input: fields }
    const warnings = [...notes, ...shared.progress.takeWarnings(mcpClient)]
    const whole = { ...answer, warnings: [...warnings, ...answer.warnings] }
    const unread =
      fields["new"] === true ? OutputPage.unread(fields, whole, ToolResult.fitted(operation, whole, shown)) : undefined
    if (unread !== undefined)
      yield* permitted(operation, yield* decode(operation, unread, shared), unread, mcpClient, shared)
    return yield* ToolResult.success(operation, answer, shown, warnings)
  }).pipe(
    Effect.catchDefect((defect) =>
      Effect.logError(defect).pipe(
        Effect.andThen(shared.log("error", `${tool} failed unexpectedly; see the standard error of the server`)),
        Effect.andThen(new Errors.Internal({ detail: `${tool} failed; see the log` }))
      )
    ),
    Effect.catch((error) =>
      Effect.andThen(
        shared.availability.onError(operation, error),
        ToolResult.failure(
          error,
          context,
          origin === "script" ? (error._tag === "Usage" ? "server" : "daemon") : origin
        )
      )
    )
  )
}

/** Answers the calls of `operate` that call no operation: for a page of a long text, and for an operation's description. */
const answerDirectly = Effect.fnUntraced(function* (input: ToolInput.Keywords, shared: Shared) {
  const { operation: name, input: fields } = input
  if (name === "more" && Predicate.isReadonlyObject(fields)) {
    const page = yield* ToolResult.page(shared.texts, Number(fields["result"]), Number(fields["from"] ?? 0))
    const gone = new Errors.Usage({
      problem: "that text is no longer stored",
      near: [],
      remedies: [Hint.remedy("repeat the call whose answer had that text")]
    })
    return page ?? (yield* ToolResult.failure(gone, { profile: shared.profile, input }, "server"))
  }
  const operation = Predicate.isString(name) ? OperateTool.find(shared.profile, name) : undefined
  if (operation === undefined || fields !== undefined) return undefined
  const document = OperationSchemas.document(operation)
  // The text is as short as a tool list; the structured content has all bounds of the fields.
  const properties = Object.entries(document.input.properties).map(([field, property]) => [
    field,
    ToolInput.compact(property)
  ])
  const text = { ...document, input: { ...document.input, properties: Object.fromEntries(properties) } }
  return ToolResult.fromServer(JSON.stringify(text), document, shared.texts)
})

/** Runs a tool. */
const run = (tool: Tool.Tool, given: ToolInput.Keywords, structured: boolean, shared: Shared) =>
  Effect.gen(function* () {
    const mcpClient = yield* ClientInfo.current
    const answer = tool.name === OperateTool.name ? yield* answerDirectly(given, shared) : undefined
    if (answer !== undefined) return answer
    const resolved = yield* Effect.result(tool.resolve(given))
    return resolved._tag === "Failure"
      ? yield* ToolResult.failure(resolved.failure, { profile: shared.profile, input: given }, "server")
      : yield* call(tool.name, resolved.success.operation, resolved.success.input, { mcpClient, structured }, shared)
  })

/** Makes the shared state of a server. */
export const share = Effect.fnUntraced(function* (options: Options) {
  const server = yield* McpServer.McpServer
  const client = yield* Client.Client
  const availability = ToolAvailability.make(server, client, options.notifies)
  options.onAvailability?.(availability)
  const shared: Shared = {
    ...options,
    client,
    consent: Consent.make(Profile.get(options.profile).effects, options.allow),
    progress: CallProgress.make(server),
    availability,
    texts: StoredTexts.make(),
    log: (level, data) => server.notifications["notifications/message"]({ level, logger: "sigtrap", data })
  }
  return shared
})

/** A tool with the function that runs it. */
interface Registration {
  readonly tool: Tool.Entry
  readonly handle: (input: ToolInput.Keywords, structured: boolean) => ReturnType<typeof run>
}

/** True for a result that a client shows; a request for input is none. */
const isResult = (answer: unknown): answer is McpSchema.CallToolResult => answer instanceof McpSchema.CallToolResult

/** Runs a call. Its result has structured content only if the server or the call asks for it. */
const answered = Effect.fnUntraced(function* (handle: Registration["handle"], input: unknown, shared: Shared) {
  const { structured, ...fields } = Predicate.isReadonlyObject(input) ? input : {}
  const isAsked = shared.structured || structured === true || structured === "true"
  const answer = yield* handle(fields, isAsked)
  return isAsked || !isResult(answer) || answer.structuredContent === undefined ? answer : ToolResult.textOnly(answer)
})

/** Registers tools; the list shows those that are listed and available. */
export const register = (registrations: ReadonlyArray<Registration>, shared: Shared) => {
  const byName = new Map(registrations.map(({ tool }) => [tool.name, tool]))
  const first = registrations[0]?.tool.name
  const visibility = McpServer.visibility(({ method, target }) =>
    Effect.sync(() => {
      if (method !== "tools/list") return true
      const tool = byName.get(target)
      // Called for each tool; the first one marks the beginning of a list.
      if (target === first) shared.availability.onList()
      return tool !== undefined && tool.listed && shared.availability.shows(tool)
    })
  )
  return Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const services = yield* Effect.context<never>()
      for (const { handle, tool } of registrations) {
        const { descriptor } = tool
        const run = (input: unknown) => answered(handle, input, shared)
        yield* server.addTool({
          tool: new McpSchema.Tool({ ...descriptor, inputSchema: { ...descriptor.inputSchema } }),
          annotations: services,
          services,
          handle: shared.direct?.add(tool.name, run) ?? run
        })
      }
    })
  ).pipe(Layer.provide(visibility.layer))
}

/** Registers tools that are computed from operations. */
export const registerTools = (tools: ReadonlyArray<Tool.Tool>, shared: Shared) =>
  register(
    tools.map((tool) => ({ tool, handle: (input, structured) => run(tool, input, structured, shared) })),
    shared
  )

/** Registers the tools of a profile, without resources and prompts. */
export const layer = (options: Options) =>
  Layer.unwrap(Effect.map(share(options), (shared) => registerTools(Catalogue.tools(options.profile), shared)))
