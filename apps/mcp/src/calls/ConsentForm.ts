/**
 * The forms in which a person allows effects of a call: what the agent wants to do, in one sentence with its arguments, and
 * what repository files add. One form asks for all effects of a call. A form that asks for debugger commands beside other effects allows
 * one call only, so that starting programs never allows debugger commands.
 */
import { Option, Predicate } from "effect"
import type { Errors, Operation } from "@sigtrap/protocol"
import { Questions } from "@sigtrap/text"
import * as CompactMessages from "../tools/CompactMessages.ts"
import * as ScriptInput from "../tools/ScriptInput.ts"
import type { Keywords } from "../tools/ToolInput.ts"
import type { Form } from "./ClientInfo.ts"

/** An effect that a call lacks, as the daemon named it. */
export type Missing = Errors.TierRequired["missing"][number]

/** What a person can choose: this call only, or every call with these effects until the client leaves. */
export const choices = ["this once", "until the client leaves"] as const

/** A choice of a person. */
export type Choice = (typeof choices)[number]

/** Returns what the person chose; none unless the form was accepted with a choice, which its schema requires. */
export const choiceOf = (answer: unknown): Option.Option<Choice> => {
  if (!Predicate.isReadonlyObject(answer) || answer["action"] !== "accept") return Option.none()
  const { content } = answer
  const allow = Predicate.isReadonlyObject(content) ? content["allow"] : undefined
  return Option.fromUndefinedOr(choices.find((choice) => choice === allow))
}

const allow = CompactMessages.choice("Allow", [...choices])
const allowOnce = CompactMessages.choice("Allow this call", [choices[0]])

/** Returns the kinds of effects as a list in words. */
const listOf = (kinds: ReadonlyArray<string>): string =>
  kinds.length < 2 ? kinds.join("") : `${kinds.slice(0, -1).join(", ")} and ${kinds.at(-1)}`

/** Returns the form that asks for the missing effects of a call. */
export const make = (
  operation: Operation.Any,
  fields: Keywords,
  missing: ReadonlyArray<Missing>,
  adapter: string | undefined
): Form => {
  const effects = [...new Set(missing.map(({ effect }) => effect))]
  const isOnce =
    missing.some(({ destroys }) => destroys !== undefined) || (effects.length > 1 && effects.includes("raw"))
  const kinds = listOf(effects.map((effect) => Questions.kinds[effect]))
  const scope = isOnce ? "" : ` "${choices[1]}" allows all ${kinds} of this client.`
  const commands = ScriptInput.commandsIn(fields)
  const sentences = effects.flatMap((effect) =>
    Questions.sentences(
      { operation, fields, missing: missing.filter((use) => use.effect === effect), adapter },
      commands
    )
  )
  return {
    message: `The agent asks: ${[...new Set(sentences)].join(" ")}${scope}`,
    requestedSchema: {
      type: "object",
      properties: {
        // A default is not part of the form of revision 2025-06-18, and one that cannot be written is not sent.
        allow: isOnce ? allowOnce : allow
      },
      required: ["allow"]
    }
  }
}
