/**
 * Refuses NUL characters in the fields of a call. No path, argument, variable or name of the system contains one, and a
 * function of the C library reads a text only up to it: a debugger would act on another path than the one that was checked.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

const hasNul = (value: unknown): boolean =>
  typeof value === "string"
    ? value.includes("\0")
    : typeof value === "object" && value !== null && Object.values(value).some(hasNul)

/** Fails if a field has a NUL character, unless the field may have any character. */
export const check = (payload: unknown, free: ReadonlyArray<string> = []): Effect.Effect<void, Errors.Usage> => {
  const fields = typeof payload === "object" && payload !== null ? Object.entries(payload) : []
  const found = fields.find(([field, value]) => !free.includes(field) && hasNul(value))
  return found === undefined
    ? Effect.void
    : Effect.fail(
        new Errors.Usage({
          problem: `${found[0]} has a NUL character`,
          near: [],
          remedies: [Hint.remedy("remove the NUL character")]
        })
      )
}
