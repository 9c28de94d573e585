/**
 * Consent of the user to operations of the tiers `write` and `admin`. The other tiers need none.
 *
 * Consent is given in advance with `--allow`, or in a form that the client shows: once, or until the client disconnects. A
 * client that cannot show forms may call operations that are not destructive and without privileged fields, such as
 * `start`; the rest is refused with PERMISSION. Ending or restarting a session that the client itself started needs no
 * new consent.
 */
import { Effect, Option, Predicate } from "effect"
import { McpSchema } from "effect/ai"
import { type Client, Errors, Hint, Operation } from "@sigtrap/protocol"
import type { Keywords } from "../tools/ToolInput.ts"
import * as LiveSessions from "./LiveSessions.ts"
import type { ClientInfo, Form } from "./ClientInfo.ts"
import * as ResultText from "../results/ResultText.ts"

/** The tiers that need consent. */
export const tiers = ["write", "admin"] as const
/** A tier that needs consent. */
export type Tier = (typeof tiers)[number]

/** True if a tier needs consent. */
export const isTier = (tier: Operation.Tier): tier is Tier => tiers.some((each) => each === tier)

/** What operations of a tier do, for the form and the refusal. */
const effects: { readonly [tier in Tier]: string } = {
  write: "change the debugged program",
  admin: "start programs and use the debugger's own commands"
}

const once = "this once"
const always = "until the client leaves"

/** The name of the form among the inputs that a client is asked for. */
const formName = "consent"

const form = (tool: string, tier: Tier, fields: Keywords): Form => ({
  message: `The agent wants to ${effects[tier]}: ${tool} ${ResultText.line(JSON.stringify(fields).slice(0, 400))}. Allow it?`,
  requestedSchema: {
    type: "object",
    properties: {
      allow: new McpSchema.UntitledSingleSelectEnum({
        type: "string",
        title: "Allow",
        enum: [once, always],
        default: once
      })
    }
  }
})

/** The consents of one server. */
export interface Consent {
  /** Succeeds if the call may run; with a value, the client has to answer it and repeat the call. */
  readonly request: (
    tool: string,
    operation: Operation.Any,
    fields: Keywords,
    mcpClient: ClientInfo
  ) => Effect.Effect<McpSchema.InputRequired | undefined, Errors.Permission>
  /** Notes that a client started a session. */
  readonly noteSession: (operation: Operation.Any, session: string | undefined, mcpClient: ClientInfo) => void
}

const refusal = (tool: string, tier: Tier, why: string) =>
  new Errors.Permission({
    detail: `${tool} would ${effects[tier]}, which needs the consent of the user; ${why}`,
    remedies: [
      Hint.remedy(
        `a person can allow it: start this server with --allow ${tier}, or set SIGTRAP_MCP_ALLOW=${tier} for it`
      )
    ]
  })

/** True if an operation starts a session or restarts its program. */
export const startsSession = (operation: Operation.Any): boolean => {
  const { execution } = Operation.meta(operation)
  return execution === "start" || execution === "restart"
}

/** True if an operation may be called by a client that cannot ask the user. */
const isAllowedUnasked = (operation: Operation.Any, fields: Keywords): boolean => {
  const { destructive, ownSession, privileged } = Operation.meta(operation)
  const isPlain = !privileged.some((field) => fields[field] !== undefined && fields[field] !== false)
  return !destructive && ownSession === undefined && isPlain
}

/** Makes the consents of a server with tiers granted in advance. */
export const make = (granted: ReadonlyArray<Tier>, client: Client.Client["Service"]): Consent => {
  const grants = new Set<string>(granted)
  const started = new Set<string>()
  const keyOf = (mcpClient: ClientInfo, name: string) => `${mcpClient.key ?? ""}\n${name}`

  /** True if a call only ends or restarts sessions that this client started. */
  const concernsOwnSessions = Effect.fnUntraced(function* (
    operation: Operation.Any,
    fields: Keywords,
    mcpClient: ClientInfo
  ) {
    const { ownSession } = Operation.meta(operation)
    if (mcpClient.key === undefined || ownSession === undefined) return false
    if (Object.keys(fields).some((field) => !ownSession.includes(field))) return false
    const { names, session } = fields
    const named = [...(Array.isArray(names) ? names : []), ...(session === undefined ? [] : [session])]
    const concerned = named.length > 0 ? Option.some(named.map(String)) : yield* LiveSessions.names(client)
    return Option.isSome(concerned) && concerned.value.every((name) => started.has(keyOf(mcpClient, name)))
  })

  const noteAccepted = (tier: Tier, mcpClient: ClientInfo, content: unknown) => {
    const choice = Predicate.isReadonlyObject(content) ? content["allow"] : undefined
    if (choice === always && mcpClient.key !== undefined) grants.add(keyOf(mcpClient, tier))
  }

  const request: Consent["request"] = Effect.fnUntraced(function* (tool, operation, fields, mcpClient) {
    const { tier } = Operation.meta(operation)
    if (!isTier(tier) || grants.has(tier)) return undefined
    if (mcpClient.key !== undefined && grants.has(keyOf(mcpClient, tier))) return undefined
    if (yield* concernsOwnSessions(operation, fields, mcpClient)) return undefined
    const consentForm = form(tool, tier, fields)
    if (mcpClient.elicit !== undefined) {
      const answer = yield* mcpClient
        .elicit(consentForm)
        .pipe(Effect.mapError(() => refusal(tool, tier, "the client failed to show the form")))
      if (answer.action !== "accept") return yield* refusal(tool, tier, "the user did not give it")
      noteAccepted(tier, mcpClient, "content" in answer ? answer.content : undefined)
      return undefined
    }
    const response = mcpClient.responses[formName]
    if (response !== undefined) {
      if (response["action"] !== "accept") return yield* refusal(tool, tier, "the user did not give it")
      noteAccepted(tier, mcpClient, response["content"])
      return undefined
    }
    if (!mcpClient.repeats) {
      if (isAllowedUnasked(operation, fields)) return undefined
      return yield* refusal(tool, tier, "this client cannot show a form")
    }
    return new McpSchema.InputRequired({
      inputRequests: { [formName]: { method: "elicitation/create", params: { mode: "form", ...consentForm } } },
      requestState: tool
    })
  })

  return {
    request,
    noteSession: (operation, session, mcpClient) => {
      if (startsSession(operation) && session !== undefined && mcpClient.key !== undefined) {
        started.add(keyOf(mcpClient, session))
      }
    }
  }
}
