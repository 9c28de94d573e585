/**
 * `POST /v1/page/link`: a page asks for the code of a link with which another page may only observe one session. A page that may
 * only observe makes none, so that a person who watches cannot pass that on.
 */
import { Effect, Option, Schema } from "effect"
import type * as Grants from "@sigtrap/host/http/Grants"
import type * as PageTokens from "@sigtrap/host/http/PageTokens"
import { Caller, Errors, Hint, Session } from "@sigtrap/protocol"
import * as Replies from "./Replies.ts"

const decode = Schema.decodeUnknownOption(Schema.Struct({ session: Session.Name }))

const withoutSession = new Errors.Usage({
  problem: 'the body names no session; send {"session":"…"}',
  near: [],
  remedies: [Hint.call("sessions", {})]
})

const refused = (problem: string) => new Errors.InvalidState({ problem, remedies: [Hint.local("web")] })

/** Answers the request of a caller with a credential; none has the owner's own token, who uses `sigtrap web`. */
export const respond = Effect.fnUntraced(function* (
  input: unknown,
  credential: Option.Option<Grants.Credential>,
  make: PageTokens.MakeLink | undefined
) {
  const sent = decode(input)
  if (Option.isNone(sent)) return Replies.failed(withoutSession)
  const { session } = sent.value
  if (Option.isNone(credential) || credential.value.kind !== "page")
    return Replies.failed(refused("only a page makes a link"))
  const { session: only, tiers } = credential.value
  if (!tiers.includes("control")) return Replies.failed(refused("a page that may only observe makes no link"))
  if (only !== undefined && only !== session) return Replies.failed(refused(`this page may only see ${only}`))
  if (make === undefined) return Replies.failed(refused("this server runs without the daemon (--isolated)"))
  const { actor } = yield* Caller.Current
  const made = yield* Effect.result(make(actor, session))
  return made._tag === "Failure" ? Replies.failed(made.failure) : Replies.reply(200, { ok: true, data: made.success })
})
