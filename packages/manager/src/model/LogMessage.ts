/**
 * Log messages of logpoints: text with `{expr}` placeholders.
 */
import { Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection } from "../ports/Backend.ts"
import { RunsCode } from "../ports/RunsCode.ts"
import { mask, type Secrets } from "./secrets/Secrets.ts"

/** Replaces expressions with secret names by the mask, for a message that the debugger writes. */
export const masked = (message: string, secrets: Secrets): string =>
  secrets.named(message)
    ? Expression.messageParts(message)
        .map((part, index) => (index % 2 === 0 ? part : secrets.named(part) ? mask : `{${part}}`))
        .join("")
    : message

/** A message, and the values of its expressions without those with the name of a secret; undefined if one failed. */
export interface Written {
  readonly text: string
  readonly values: ReadonlyArray<string> | undefined
}

/** Evaluates the expressions of a message in a frame. A failure is written in the expression's place. */
export const evaluated = (live: Connection, message: string, frame: number, secrets: Secrets): Effect.Effect<Written> =>
  Effect.flatMap(RunsCode, (runsCode) => {
    let values: Array<string> | undefined = []
    return Effect.forEach(Expression.messageParts(message), (part, index) => {
      if (index % 2 === 0) return Effect.succeed(part)
      if (secrets.named(part)) return Effect.succeed(mask)
      return live.evaluate(part, frame, runsCode === true ? "any" : "read").pipe(
        Effect.map(({ value }) => {
          const shown = secrets.inText(value)
          values?.push(shown)
          return shown
        }),
        Effect.catch((error) => {
          values = undefined
          const problem = error._tag === "AdapterError" ? error.detail : error.message
          return Effect.succeed(`<${secrets.inProblem(part, problem)}>`)
        })
      )
    }).pipe(Effect.map((texts): Written => ({ text: texts.join(""), values })))
  })

/** Returns the text of a message in a frame. */
export const write = (live: Connection, message: string, frame: number, secrets: Secrets): Effect.Effect<string> =>
  Effect.map(evaluated(live, message, frame, secrets), ({ text }) => text)
