/**
 * Refuses a condition that cannot be parsed before it is set. A debugger would find out when the program arrives there.
 */
import { Errors, Expression, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

/** Fails for a condition with a bracket or a string that is not closed, or with an operator that lacks a value. */
export const check = (
  condition: string | null | undefined,
  operation: "break" | "breakpoint.edit" | "catch" | "watch" = "break"
): Effect.Effect<void, Errors.Usage> => {
  const problem = typeof condition === "string" ? Expression.syntaxProblem(condition) : undefined
  if (problem === undefined) return Effect.void
  const text = `the condition '${condition}' cannot be parsed: ${problem}`
  return Effect.fail(new Errors.Usage({ problem: text, near: [], remedies: [Hint.help(operation)] }))
}
