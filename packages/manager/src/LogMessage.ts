/**
 * Messages of logpoints: text in which `{expr}` stands for a value.
 */
import * as Effect from "effect/Effect"
import type { Connection } from "./Backend.ts"

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

/** The message with its expressions evaluated in a frame; one that cannot be says why in its place. */
export const write = (live: Connection, message: string, frame: number): Effect.Effect<string> =>
  Effect.forEach(parts(message), (part, index) =>
    index % 2 === 0
      ? Effect.succeed(part)
      : live.evaluate(part, frame, "any").pipe(
          Effect.map(({ value }) => value),
          Effect.catch((error) => Effect.succeed(`<${error._tag === "AdapterError" ? error.detail : error.message}>`))
        )
  ).pipe(Effect.map((texts) => texts.join("")))
