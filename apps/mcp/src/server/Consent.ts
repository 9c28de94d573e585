/**
 * What an agent may do unasked, and who is asked otherwise.
 *
 * Reading, running and evaluating need no consent. What changes the program (`write`), and what starts programs or speaks to
 * the debugger itself (`admin`), needs that of a person: given beforehand with `--allow`, or asked for in a form of the
 * client, once or for as long as the client stays. A client that cannot show forms may begin sessions and what leads to them, for
 * which it was given a debugger; anything else of these tiers is refused with the way in which a person can allow it. Ending or beginning
 * again what a client itself began needs no consent.
 */
import { Effect, Option, Predicate } from "effect"
import { McpSchema } from "effect/ai"
import { type Client, Errors, Hint, Operation } from "@sigtrap/protocol"
import type { Keywords } from "../tools/ToolInput.ts"
import * as LiveSessions from "../resources/LiveSessions.ts"
import type { Form, Peer } from "./ClientInfo.ts"
import * as Profile from "../tools/Profile.ts"
import * as ResultText from "../tools/ResultText.ts"

/** The tiers that need consent. */
export const tiers = ["write", "admin"] as const
/** A tier that needs consent. */
export type Tier = (typeof tiers)[number]

const needs = (tier: Operation.Tier): tier is Tier => tiers.some((each) => each === tier)

/** What a tier allows, as a person is asked for it. */
const meaning: { readonly [tier in Tier]: string } = {
  write: "change the debugged program",
  admin: "start programs and use the debugger's own commands"
}

const once = "this once"
const always = "until the client leaves"

/** The name of our form among the inputs that a client is asked for. */
const formName = "consent"

const form = (tool: string, tier: Tier, fields: Keywords): Form => ({
  message: `The agent wants to ${meaning[tier]}: ${tool} ${ResultText.line(JSON.stringify(fields).slice(0, 400))}. Allow it?`,
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

/** Consent as the tools need it. */
export interface Consent {
  /** Succeeds when the call may go on, with a request for input when the client has to repeat it. */
  readonly ask: (
    tool: string,
    operation: Operation.Any,
    fields: Keywords,
    peer: Peer
  ) => Effect.Effect<McpSchema.InputRequired | undefined, Errors.Permission>
  /** Notes that a client began a session. */
  readonly began: (operation: Operation.Any, session: string | undefined, peer: Peer) => void
}

/** Operations that end sessions or begin them again, and the only fields with which that needs no new consent. */
const ending: { readonly [tag: string]: ReadonlyArray<string> } = {
  stop: ["names", "session", "if_exists"],
  detach: ["session"],
  restart: ["session", "timeout", "wait", "context", "lines"]
}

/** Fields with which beginning a session does more than that: it speaks to the debugger itself, or ends what others hold. */
const more: ReadonlyArray<string> = ["adapter_opt", "init_cmd", "pre_run_cmd", "stop_cmd", "replace"]

const refusal = (tool: string, tier: Tier, why: string) =>
  new Errors.Permission({
    detail: `${tool} would ${meaning[tier]}, which needs the consent of a person; ${why}`,
    remedies: [
      Hint.remedy(
        `a person can allow it: start this server with --allow ${tier}, or set SIGTRAP_MCP_ALLOW=${tier} for it`
      )
    ]
  })

/** Whether an operation begins a session: it starts, attaches to or opens what is debugged. */
export const begins = (operation: Operation.Any): boolean => {
  const { resumes, tier } = Operation.meta(operation)
  return resumes && tier === "admin"
}

/** Consent of a server that `granted` tiers beforehand. */
export const make = (granted: ReadonlyArray<Tier>, client: Client.Client["Service"]): Consent => {
  const grants = new Set<string>(granted)
  const begun = new Set<string>()
  const own = (peer: Peer, what: string) => `${peer.key ?? ""}\n${what}`

  /** Whether an ending concerns nothing but sessions that this client began. */
  const isOwn = Effect.fnUntraced(function* (operation: Operation.Any, fields: Keywords, peer: Peer) {
    const allowed = ending[operation._tag]
    if (
      peer.key === undefined ||
      allowed === undefined ||
      Object.keys(fields).some((each) => !allowed.includes(each))
    ) {
      return false
    }
    const { names, session } = fields
    const named = [...(Array.isArray(names) ? names : []), ...(session === undefined ? [] : [session])]
    const concerned = named.length > 0 ? Option.some(named.map(String)) : yield* LiveSessions.names(client)
    return Option.isSome(concerned) && concerned.value.every((name) => begun.has(own(peer, name)))
  })

  const accepted = (tier: Tier, peer: Peer, content: unknown) => {
    const choice = Predicate.isReadonlyObject(content) ? content["allow"] : undefined
    if (choice === always && peer.key !== undefined) grants.add(own(peer, tier))
  }

  const ask: Consent["ask"] = Effect.fnUntraced(function* (tool, operation, fields, peer) {
    const { tier } = Operation.meta(operation)
    if (!needs(tier) || grants.has(tier) || (peer.key !== undefined && grants.has(own(peer, tier)))) return undefined
    if (yield* isOwn(operation, fields, peer)) return undefined
    const asked = form(tool, tier, fields)
    if (peer.elicit !== undefined) {
      const answer = yield* peer
        .elicit(asked)
        .pipe(Effect.mapError(() => refusal(tool, tier, "this client could not be asked for it")))
      if (answer.action !== "accept") return yield* refusal(tool, tier, "it was not given")
      accepted(tier, peer, "content" in answer ? answer.content : undefined)
      return undefined
    }
    const response = peer.responses[formName]
    if (response !== undefined) {
      if (response["action"] !== "accept") return yield* refusal(tool, tier, "it was not given")
      accepted(tier, peer, response["content"])
      return undefined
    }
    if (!peer.repeats) {
      const plain = !more.some((field) => fields[field] !== undefined && fields[field] !== false)
      const begun = Profile.harmless.has(operation._tag) && ending[operation._tag] === undefined && plain
      return begun ? undefined : yield* refusal(tool, tier, "this client cannot ask for it")
    }
    return new McpSchema.InputRequired({
      inputRequests: { [formName]: { method: "elicitation/create", params: { mode: "form", ...asked } } },
      requestState: tool
    })
  })

  return {
    ask,
    began: (operation, session, peer) => {
      if (begins(operation) && session !== undefined && peer.key !== undefined) begun.add(own(peer, session))
    }
  }
}
