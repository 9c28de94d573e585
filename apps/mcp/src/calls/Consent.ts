/**
 * Consent of the user to effects of a call that the client may not have.
 *
 * The daemon decides what a call needs and refuses it with TIER_REQUIRED before anything happens. This module says what each
 * client is allowed from the start, asks the person for what is missing, and remembers the answer: for exactly the effects
 * that the form showed, or for every call with that effect until the client leaves. A client that cannot show forms may
 * launch programs and destroy nothing ([decision 15](../../../../docs/decisions/0015-effects-of-fields.md)).
 */
import { Effect, Option } from "effect"
import { McpSchema } from "effect/ai"
import { Caller, Effects, Errors, Hint, Operation } from "@sigtrap/protocol"
import type { Keywords } from "../tools/ToolInput.ts"
import type { ClientInfo } from "./ClientInfo.ts"
import * as ConsentForm from "./ConsentForm.ts"

/** What `--allow` takes: a tier, or one effect of the tier `admin`. */
export const grants = ["write", "admin", "launch", "raw"] as const
/** What `--allow` takes. */
export type Grant = (typeof grants)[number]

const granting: { readonly [grant in Grant]: ReadonlyArray<Effects.Name> } = {
  write: Effects.ofTiers(["write"]),
  admin: Effects.ofTiers(["admin"]),
  launch: ["launch"],
  raw: ["raw"]
}

/** What `--allow` must name for a missing effect. */
const grantFor = ({ destroys, effect, tier }: ConsentForm.Missing): string =>
  destroys === undefined && tier === "admin" ? effect : tier

/** A call that needs effects which its client may not have. */
interface Request {
  readonly operation: Operation.Any
  readonly fields: Keywords
  readonly refusal: Errors.TierRequired
  /** The debugger of the session, for the form; absent if there is none. */
  readonly adapter: string | undefined
}

/** The consents of one server. */
export interface Consent {
  /** Returns what a client may do without asking. */
  readonly allowance: (mcpClient: ClientInfo) => Caller.Allowance
  /** Asks for the missing effects. Returns them once the person accepted, or what the client has to answer first. */
  readonly request: (
    asked: Request,
    mcpClient: ClientInfo
  ) => Effect.Effect<ReadonlyArray<Effects.Use> | McpSchema.InputRequired, Errors.TierRequired>
  /**
   * Returns the effects that the person accepted in the answer to an earlier call, which is now repeated. An answer is valid
   * once, for the same operation and fields.
   */
  readonly accepted: (mcpClient: ClientInfo, operation: Operation.Any, fields: Keywords) => ReadonlyArray<Effects.Use>
}

/** True if an operation starts a session or restarts its program. */
export const startsSession = (operation: Operation.Any): boolean => {
  const { execution } = Operation.meta(operation)
  return execution === "start" || execution === "restart"
}

/** Returns the refusal with the reason, and with the ways to allow the call. */
const refused = ({ missing, operation }: Errors.TierRequired, why: string) => {
  const words = [...new Set(missing.map(grantFor))].join(",")
  return new Errors.TierRequired({
    operation,
    missing,
    why,
    remedies: [
      Hint.remedy(
        `a person can allow it: start this server with --allow ${words}, or set SIGTRAP_MCP_ALLOW=${words} for it`
      )
    ]
  })
}

/** Returns the reason of a refusal after a form without a choice. */
const whyRefused = (action: unknown): string =>
  action === "accept" ? "the form was accepted without a choice in `allow`" : "the user did not allow it"

type Group = readonly [ConsentForm.Missing, ...ReadonlyArray<ConsentForm.Missing>]

/** Returns the missing effects by kind, each with its form's name. */
const groupsOf = (missing: ReadonlyArray<ConsentForm.Missing>): ReadonlyArray<readonly [string, Group]> =>
  Effects.names.flatMap((name) => {
    const [first, ...rest] = missing.filter(({ effect }) => effect === name)
    return first === undefined ? [] : [[name, [first, ...rest]] as const]
  })

/** Returns a text that is equal for calls of one operation with equal fields. */
const callText = ({ _tag }: Operation.Any, fields: Keywords): string => JSON.stringify([_tag, fields])

const useOf = ({ tier: _, ...use }: ConsentForm.Missing): Effects.Use => use

/** The most questions whose answers are awaited at a time. */
const maxPending = 100

/** What a client that cannot be asked may do beyond reading, running and evaluating. */
const unasked: Caller.Allowance = { effects: ["launch"], destructive: false, uses: [] }

/** The questions of a client without forms wait in the daemon for a person. */
export const asks: Caller.Asks = { effects: Effects.names.filter((name) => name !== "owner"), form: false }

/** Makes the consents of a server. `base` are the effects that need none; `granted` was given in advance. */
export const make = (base: ReadonlyArray<Effects.Name>, granted: ReadonlyArray<Grant>): Consent => {
  const given = [...base, ...granted.flatMap((grant) => granting[grant])]
  const byClient = new Map<string, Set<Effects.Name>>()
  const pending = new Map<string, { readonly call: string; readonly missing: ReadonlyArray<ConsentForm.Missing> }>()
  let asked = 0

  const allowance: Consent["allowance"] = (mcpClient) => ({
    effects: [
      ...new Set([
        ...given,
        ...(mcpClient.elicit === undefined && !mcpClient.repeats
          ? unasked.effects.filter(() => base.includes("control"))
          : []),
        ...(mcpClient.key === undefined ? [] : (byClient.get(mcpClient.key) ?? []))
      ])
    ],
    destructive: granted.includes("admin"),
    uses: []
  })

  /** Notes the choice of an accepted form. */
  const note = (effect: Effects.Name, group: Group, mcpClient: ClientInfo, choice: ConsentForm.Choice) => {
    const isOnce = group.some(({ destroys }) => destroys !== undefined)
    if (choice !== ConsentForm.choices[1] || isOnce || mcpClient.key === undefined) return
    byClient.set(mcpClient.key, (byClient.get(mcpClient.key) ?? new Set()).add(effect))
  }

  /** Shows the forms one after the other. */
  const elicit = Effect.fnUntraced(function* (
    { adapter, fields, operation, refusal }: Request,
    mcpClient: ClientInfo,
    show: NonNullable<ClientInfo["elicit"]>
  ) {
    for (const [, group] of groupsOf(refusal.missing)) {
      // An answer that is none of MCP, such as another action, is a defect of the library.
      const answer = yield* show(ConsentForm.make(operation, fields, group, adapter)).pipe(
        Effect.catchDefect(Effect.fail),
        Effect.option
      )
      if (answer._tag === "None") {
        // The client claimed forms and cannot show one: it is treated like one without them.
        if (Caller.missing(unasked, group.map(useOf)).length === 0) continue
        return yield* refused(refusal, "the client failed to show the form")
      }
      const choice = ConsentForm.choiceOf(answer.value)
      if (choice._tag === "None") return yield* refused(refusal, whyRefused(answer.value.action))
      note(group[0].effect, group, mcpClient, choice.value)
    }
    return refusal.missing.map(useOf)
  })

  /** Returns the forms as input that the client must send with the repeated call. */
  const required = ({ adapter, fields, operation, refusal }: Request) => {
    const state = `consent-${(asked += 1)}`
    pending.set(state, { call: callText(operation, fields), missing: refusal.missing })
    for (const [oldest] of pending) if (pending.size > maxPending) pending.delete(oldest)
    const forms = groupsOf(refusal.missing).map(([name, group]) => [
      name,
      {
        method: "elicitation/create" as const,
        params: { mode: "form" as const, ...ConsentForm.make(operation, fields, group, adapter) }
      }
    ])
    return new McpSchema.InputRequired({ inputRequests: Object.fromEntries(forms), requestState: state })
  }

  const accepted: Consent["accepted"] = ({ repeats, responses, state, ...mcpClient }, operation, fields) => {
    if (!repeats || state === undefined) return []
    const question = pending.get(state)
    if (question?.call !== callText(operation, fields)) return []
    pending.delete(state)
    return groupsOf(question.missing).flatMap(([name, group]) => {
      const choice = ConsentForm.choiceOf(responses[name])
      if (choice._tag === "None") return []
      note(group[0].effect, group, { ...mcpClient, repeats, responses, state }, choice.value)
      return group.map(useOf)
    })
  }

  const request: Consent["request"] = (asking, mcpClient) => {
    if (mcpClient.elicit !== undefined) return elicit(asking, mcpClient, mcpClient.elicit)
    if (!mcpClient.repeats) return Effect.fail(refused(asking.refusal, "this client cannot show a form"))
    const negative = groupsOf(asking.refusal.missing)
      .map(([name]) => mcpClient.responses[name])
      .find((response) => response?.["action"] !== undefined && Option.isNone(ConsentForm.choiceOf(response)))
    return negative === undefined
      ? Effect.succeed(required(asking))
      : Effect.fail(refused(asking.refusal, whyRefused(negative["action"])))
  }

  return { allowance, request, accepted }
}
