/**
 * A logpoint as one text: `LOCATION [if EXPR] :: MESSAGE`.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

/** Returns the location and the message of a text; undefined if it has no ` :: ` with text on both sides. */
export const split = (written: string): { readonly text: string; readonly log: string } | undefined => {
  const [, text, log] = /^(.+?) :: (.+)$/s.exec(written) ?? []
  return text === undefined || log === undefined ? undefined : { text, log }
}

/** Returns the location and the message of a call, whose location may have the message in its text. */
export const ofCall = ({ at, message }: { readonly at: string; readonly message?: string }) => {
  const found = message === undefined ? split(at) : { text: at, log: message }
  return found === undefined
    ? Effect.fail(
        new Errors.Usage({
          problem: "MESSAGE is missing; it follows LOCATION, as a word of its own or behind ::",
          near: [],
          remedies: [Hint.call("logpoint", { at: at.replace(/\s*::.*$/s, ""), message: "n={n}" })]
        })
      )
    : Effect.succeed(found)
}
