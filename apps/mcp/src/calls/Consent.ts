/**
 * Consent of the user to effects of a call that the client may not have.
 *
 * The daemon decides what a call needs, keeps the questions about it, and remembers their answers
 * ([decision 30](../../../../docs/decisions/0030-questions-in-the-daemon.md)). This module says what each client is allowed from the
 * start, and shows the questions of a call as one form: the daemon refuses the call with their numbers, gets the answer of the form for
 * each, and the call is repeated with the numbers. A person at a terminal can answer the same question. A client that cannot show forms
 * may launch programs and destroy nothing ([decision 15](../../../../docs/decisions/0015-effects-of-fields.md)); its other calls wait for
 * a person at a terminal.
 */
import { Effect, Option, Result } from "effect"
import { McpSchema } from "effect/ai"
import { Caller, Effects, Errors, Hint, Operation, type Question } from "@sigtrap/protocol"
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

/** A call of a client. */
interface Call {
  readonly operation: Operation.Any
  readonly fields: Keywords
  /** The debugger of the session, for the form; absent if there is none. */
  readonly adapter: Effect.Effect<string | undefined>
}

/** What a call is attempted with. */
type Terms = Pick<Caller.Caller, "allowance" | "asks" | "requests">

/** The daemon, as this module needs it. */
export interface Daemon<A> {
  /** Makes the call on these terms. */
  readonly attempt: (terms: Terms) => Effect.Effect<A, Errors.SigtrapError>
  /** Answers a question for the person who saw the form. One that has ended is left as it is. */
  readonly answer: (request: number, verdict: Question.Verdict) => Effect.Effect<void>
}

/** The consents of one server. */
export interface Consent {
  /** Returns what a client may do without asking. */
  readonly allowance: (mcpClient: ClientInfo) => Caller.Allowance
  /** Makes a call. Asks the person for what it lacks, or returns what the client has to answer first. */
  readonly permitted: <A>(
    call: Call,
    mcpClient: ClientInfo,
    daemon: Daemon<A>
  ) => Effect.Effect<A | McpSchema.InputRequired, Errors.SigtrapError>
}

/** True if an operation starts a session or restarts its program. */
export const startsSession = (operation: Operation.Any): boolean => {
  const { execution } = Operation.meta(operation)
  return execution === "start" || execution === "restart"
}

/** Returns the refusal with the reason, and with the ways to allow the call. */
const refused = ({ missing, operation }: Errors.TierRequired, why: string) => {
  const words = [...new Set(missing.map(grantFor))].join(",")
  // Every client has the other tiers, so it is the owner's rule that asks.
  const isRule = missing.some(({ tier }) => tier !== "write" && tier !== "admin")
  return new Errors.TierRequired({
    operation,
    missing,
    why,
    remedies: [
      Hint.remedy(
        isRule
          ? "a person can allow it in the form, or at a terminal; policy.ask.mcp in the configuration asks for it"
          : `a person can allow it: start this server with --allow ${words}, or set SIGTRAP_MCP_ALLOW=${words} for it`
      )
    ]
  })
}

/** Returns the reason of a refusal after a form without a choice. */
const whyRefused = (action: unknown): string =>
  action === "accept" ? "the form was accepted without a choice in `allow`" : "the user did not allow it"

/** Returns the missing effects in the order in which a form names them: by kind. */
const inOrder = ({ missing }: Errors.TierRequired): ReadonlyArray<ConsentForm.Missing> =>
  Effects.names.flatMap((name) => missing.filter(({ effect }) => effect === name))

/** The name of the form in an answer that asks for input. */
const formName = "consent"

/** Returns a text that is equal for calls of one operation with equal fields. */
const callText = ({ fields, operation }: Call): string => JSON.stringify([operation._tag, fields])

const useOf = ({ tier: _, ...use }: ConsentForm.Missing): Effects.Use => use

/** The most calls whose forms are awaited at a time. */
const maxPending = 100

/** The most times that one call asks for effects which it lacks: each answer can reveal another. */
const maxQuestions = 4

/** What a client that cannot be asked may do beyond reading, running and evaluating. */
const unasked: Caller.Allowance = { effects: ["launch"], destructive: false, uses: [] }

/** A person can be asked about every effect of an operation. */
const askable = Effects.names.filter((name) => name !== "owner")

const showsForms = ({ elicit, repeats }: ClientInfo): boolean => elicit !== undefined || repeats

/** Returns the answer for a choice. One for longer needs a client that the daemon can tell apart from others. */
const verdictOf = (choice: ConsentForm.Choice, { key }: ClientInfo): Question.Verdict =>
  choice === ConsentForm.choices[1] && key !== undefined ? "client" : "allow"

/** Makes the consents of a server. `base` are the effects that need none; `granted` was given in advance. */
export const make = (base: ReadonlyArray<Effects.Name>, granted: ReadonlyArray<Grant>): Consent => {
  const given = [...base, ...granted.flatMap((grant) => granting[grant])]
  const pending = new Map<string, { readonly call: string; readonly refusal: Errors.TierRequired }>()
  let asked = 0

  const allowance: Consent["allowance"] = (mcpClient) => ({
    effects: [...new Set([...given, ...(showsForms(mcpClient) || !base.includes("control") ? [] : unasked.effects)])],
    destructive: granted.includes("admin"),
    uses: []
  })

  const formOf = ({ fields, operation }: Call, refusal: Errors.TierRequired, adapter: string | undefined) =>
    ConsentForm.make(operation, fields, inOrder(refusal), adapter)

  /** Shows the form. Fails unless it is accepted, and never succeeds: the call does. */
  const show = Effect.fnUntraced(function* (
    call: Call,
    refusal: Errors.TierRequired,
    mcpClient: ClientInfo,
    elicit: NonNullable<ClientInfo["elicit"]>,
    answer: Daemon<unknown>["answer"],
    denied: (error: Errors.TierRequired) => void
  ) {
    const adapter = yield* call.adapter
    // An answer that is none of MCP, such as another action, is a defect of the library.
    const shown = yield* elicit(formOf(call, refusal, adapter)).pipe(Effect.catchDefect(Effect.fail), Effect.option)
    if (shown._tag === "None") return yield* Effect.fail("the client failed to show the form" as const)
    const choice = ConsentForm.choiceOf(shown.value)
    if (choice._tag === "None") denied(refused(refusal, whyRefused(shown.value.action)))
    const verdict = choice._tag === "None" ? "deny" : verdictOf(choice.value, mcpClient)
    for (const request of refusal.requests ?? []) yield* answer(request, verdict)
    return choice._tag === "None" ? yield* refused(refusal, whyRefused(shown.value.action)) : yield* Effect.never
  })

  /** Repeats a call with its questions while the form is shown: another person can answer them, too. */
  const elicited = <A>(
    call: Call,
    refusal: Errors.TierRequired,
    mcpClient: ClientInfo,
    elicit: NonNullable<ClientInfo["elicit"]>,
    daemon: Daemon<A>
  ): Effect.Effect<A, Errors.SigtrapError> => {
    let denied: Errors.TierRequired | undefined
    const form = show(call, refusal, mcpClient, elicit, daemon.answer, (error) => {
      denied = error
    })
    const terms = { allowance: allowance(mcpClient), asks: { effects: askable, form: true } }
    return Effect.raceFirst(daemon.attempt({ ...terms, requests: refusal.requests ?? [] }), form).pipe(
      Effect.catch((error) => {
        if (typeof error !== "string") {
          return Effect.fail(error._tag === "ConsentDenied" && denied !== undefined ? denied : error)
        }
        // The client claimed forms and cannot show one: it is treated like one without them.
        const uses = refusal.missing.map(useOf)
        return Caller.missing(unasked, uses).length > 0
          ? Effect.fail(refused(refusal, error))
          : daemon.attempt({ ...terms, allowance: { ...terms.allowance, uses } })
      })
    )
  }

  /** Returns the form as input that the client must send with the repeated call. */
  const required = Effect.fnUntraced(function* (call: Call, refusal: Errors.TierRequired) {
    const adapter = yield* call.adapter
    const state = `consent-${(asked += 1)}`
    pending.set(state, { call: callText(call), refusal })
    for (const [oldest] of pending) if (pending.size > maxPending) pending.delete(oldest)
    const form = {
      method: "elicitation/create" as const,
      params: { mode: "form" as const, ...formOf(call, refusal, adapter) }
    }
    return new McpSchema.InputRequired({ inputRequests: { [formName]: form }, requestState: state })
  })

  /**
   * Answers the questions of the earlier call that this one repeats, if it is the same. Returns them if they were accepted. An
   * answer is valid once.
   */
  const repeated = Effect.fnUntraced(function* (call: Call, mcpClient: ClientInfo, answer: Daemon<unknown>["answer"]) {
    const { repeats, responses, state } = mcpClient
    const before = repeats && state !== undefined ? pending.get(state) : undefined
    if (state === undefined || before?.call !== callText(call)) return []
    pending.delete(state)
    const { refusal } = before
    const response = responses[formName]
    const choice = ConsentForm.choiceOf(response)
    const verdict = Option.isNone(choice) ? "deny" : verdictOf(choice.value, mcpClient)
    for (const request of refusal.requests ?? []) yield* answer(request, verdict)
    if (Option.isSome(choice)) return refusal.requests ?? []
    return response?.["action"] === undefined ? [] : yield* refused(refusal, whyRefused(response["action"]))
  })

  const permitted: Consent["permitted"] = Effect.fnUntraced(function* (call, mcpClient, daemon) {
    const form = showsForms(mcpClient)
    const terms = { allowance: allowance(mcpClient), asks: { effects: askable, form } }
    const requests = yield* repeated(call, mcpClient, daemon.answer)
    let attempt = daemon.attempt(requests.length === 0 ? terms : { ...terms, requests })
    for (let attempts = 1; ; attempts += 1) {
      const result = yield* Effect.result(attempt)
      if (Result.isSuccess(result)) return result.success
      const { failure } = result
      if (failure._tag !== "TierRequired") return yield* failure
      // A refusal that a form has led to says why.
      if (!form) return yield* refused(failure, ["this client cannot show a form", failure.why ?? []].flat().join(", "))
      if (failure.requests === undefined) {
        return yield* failure.why === undefined ? refused(failure, "no person can be asked") : failure
      }
      if (attempts > maxQuestions) return yield* refused(failure, "the call asked too often")
      if (mcpClient.elicit === undefined) return yield* required(call, failure)
      attempt = elicited(call, failure, mcpClient, mcpClient.elicit, daemon)
    }
  })

  return { allowance, permitted }
}
