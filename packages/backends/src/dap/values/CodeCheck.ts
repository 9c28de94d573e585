/**
 * Refuses an expression that runs code of the program for a caller that may not, under an adapter that evaluates whatever it is given: the quirk
 * `codeCheck` tells, by an expression that runs none.
 */
import { Expression } from "@sigtrap/protocol"
import { RunsCode, type Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Quirks } from "../../adapters/Quirks.ts"
import { adapterError } from "../../console/Failures.ts"

/** Makes what fails if a text runs code of the program and the caller may not; `evaluate` answers the text of a value. */
export const make = (
  { codeCheck, failures }: Quirks,
  use: "value" | "target",
  evaluate: (expression: string) => Effect.Effect<string, Backend.Failure>
) =>
  Effect.fnUntraced(function* (expression: string) {
    const runsCode = yield* RunsCode.RunsCode
    // A function that reads may have another meaning in the program, or call a method of its argument.
    const calls = use === "value" && !Expression.onlyReads(expression)
    if (codeCheck === undefined || (runsCode === true && !calls)) return
    const value = yield* evaluate(codeCheck.expression(expression, use))
    const found = codeCheck.answer(value) ?? "!it"
    if (found === "") return
    const reason = found.slice(1)
    const detail = found.startsWith("?")
      ? reason
      : `${reason} may run code of the program, ${runsCode === true ? "which a read never does" : runsCode}`
    return yield* adapterError(failures, "evaluate", detail)
  })
