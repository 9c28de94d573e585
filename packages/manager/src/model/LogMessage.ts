/**
 * Messages of logpoints: text in which `{expr}` stands for a value.
 */
import * as Effect from "effect/Effect"
import type { Connection } from "../ports/Backend.ts"
import { mask, type Secrets } from "./Secrets.ts"

/** Text and expressions in turn, the text first. Braces inside an expression belong to it when they are balanced. */
export const parts = (message: string): ReadonlyArray<string> => {
  const found = [""]
  let depth = 0
  for (const char of message) {
    const last = found.length - 1
    if (char === "{" && depth++ === 0) found.push("")
    else if (char === "}" && depth > 0 && --depth === 0) found.push("")
    else found[last] = `${found[last] ?? ""}${char}`
  }
  return found
}

/** The message with the text of secret values in the place of their expressions, as a debugger may have it. */
export const masked = (message: string, secrets: Secrets): string =>
  secrets.named(message)
    ? parts(message)
        .map((part, index) => (index % 2 === 0 ? part : secrets.named(part) ? mask : `{${part}}`))
        .join("")
    : message

/** The message with its expressions evaluated in a frame; one that cannot be says why in its place. */
export const write = (live: Connection, message: string, frame: number, secrets: Secrets): Effect.Effect<string> =>
  Effect.forEach(parts(message), (part, index) => {
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
