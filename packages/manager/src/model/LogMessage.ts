/**
 * Log messages of logpoints: text with `{expr}` placeholders.
 */
import { Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection } from "../ports/Backend.ts"
import { mask, type Secrets } from "./Secrets.ts"

/** Replaces expressions with secret names by the mask, for a message that the debugger writes. */
export const masked = (message: string, secrets: Secrets): string =>
  secrets.named(message)
    ? Expression.messageParts(message)
        .map((part, index) => (index % 2 === 0 ? part : secrets.named(part) ? mask : `{${part}}`))
        .join("")
    : message

/** Evaluates the expressions of a message in a frame. A failure is written in the expression's place. */
export const write = (live: Connection, message: string, frame: number, secrets: Secrets): Effect.Effect<string> =>
  Effect.forEach(Expression.messageParts(message), (part, index) => {
    if (index % 2 === 0) return Effect.succeed(part)
    if (secrets.named(part)) return Effect.succeed(mask)
    return live.evaluate(part, frame, "any").pipe(
      Effect.map(({ value }) => secrets.inText(value)),
      Effect.catch((error) => {
        const problem = error._tag === "AdapterError" ? error.detail : error.message
        return Effect.succeed(`<${secrets.inProblem(part, problem)}>`)
      })
    )
  }).pipe(Effect.map((texts) => texts.join("")))
