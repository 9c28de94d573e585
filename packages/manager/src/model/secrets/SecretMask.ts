/**
 * Masks secrets by their shape in everything that leaves the manager: answers, errors and hints.
 *
 * It is the outermost wrapper of the client, so that no operation can forget it. Only a call with `reveal` and sessions with
 * `redact.enabled = false` show secrets.
 */
import { type Answer, type Client, type Errors, Operation, Operations, type Settings } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Secrets from "./Secrets.ts"

/** Returns the settings of a payload that matter here. */
const settingsOf = (payload: unknown): Settings.Values | undefined => {
  const settings = Predicate.isReadonlyObject(payload) ? payload["settings"] : undefined
  const enabled = Predicate.isReadonlyObject(settings) ? settings["redact.enabled"] : undefined
  return Predicate.isString(enabled) ? { "redact.enabled": enabled } : undefined
}

/** True for an operation whose answer has only answers that are masked already. */
const isComposite = (tag: string) => Operations.isTag(tag) && Operation.meta(Operations.byTag(tag)).composite

const isReveal = (payload: unknown) => Predicate.isReadonlyObject(payload) && payload["reveal"] === true

/** A session with its secrets. */
interface Owner {
  readonly name: string
  readonly secrets: Secrets.Secrets
}

/** Returns a client whose answers and errors have no secrets. */
export const client = (
  inner: Client.Client["Service"],
  sessions: Effect.Effect<ReadonlyArray<Owner>>
): Client.Client["Service"] => {
  const secretsOf = (payload: unknown, name: string | undefined) =>
    Effect.map(
      sessions,
      (all) => all.find((session) => session.name === name)?.secrets ?? Secrets.make(settingsOf(payload))
    )

  /** Masks an answer. The text of `output` is masked already, in the size that its cursors count. */
  const inAnswer = <A extends Answer.Answer<unknown>>(tag: string, answer: A, secrets: Secrets.Secrets): A =>
    tag === "output"
      ? { ...answer, ...secrets.inData({ warnings: answer.warnings, truncated: answer.truncated }) }
      : secrets.inData<A>(answer)

  const masked = <A extends Answer.Answer<unknown>, E extends Errors.SigtrapError>(
    tag: string,
    payload: unknown,
    work: Effect.Effect<A, E>
  ): Effect.Effect<A, E> =>
    isReveal(payload) || isComposite(tag)
      ? work
      : Effect.matchEffect(work, {
          onSuccess: (answer) =>
            Effect.map(secretsOf(payload, answer.session), (secrets) => inAnswer(tag, answer, secrets)),
          onFailure: (error) =>
            Effect.flatMap(secretsOf(payload, error.session), (secrets) =>
              Effect.fail(Object.assign(error, secrets.inData({ ...error })))
            )
        })

  return {
    call: (tag, payload) => masked(tag, payload, inner.call(tag, payload)),
    callAny: (operation, payload) => masked(operation._tag, payload, inner.callAny(operation, payload))
  }
}
