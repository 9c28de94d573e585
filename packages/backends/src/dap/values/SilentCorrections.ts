/**
 * Refuses expressions that a debugger would silently correct before it evaluates them (the quirk `correctsExpressions`).
 */
import { Variables } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Quirks } from "../../adapters/Quirks.ts"
import { adapterError } from "../../console/Failures.ts"
import * as TimeLimits from "../../console/TimeLimits.ts"

/** True for an expression that may have two values one after the other, without an operator: `a b`, `(a) b`, also for a cast. */
export const mayLackOperator = (expression: string): boolean =>
  /[\p{L}\p{N}_$)\]"']\s+[\p{L}\p{N}_$("']/u.test(expression)

/** Runs a command of the debugger in a frame. */
type Command = (line: string, frame: number, millis: number) => Effect.Effect<string, Backend.Failure>

/**
 * Makes the check that fails for an expression that lacks an operator, in debuggers with a command line. A command has no corrections, by
 * a setting. The one of the check parses the expression and does not evaluate it.
 */
export const make = (
  command: Command | undefined,
  { correctsExpressions = false, failures }: Pick<Quirks, "correctsExpressions" | "failures">,
  explained: (error: Backend.Failure) => Backend.Failure
) =>
  Effect.fnUntraced(function* (expression: string, frame: number) {
    if (command === undefined || !correctsExpressions || !mayLackOperator(expression)) return
    const line = Variables.expression(`if (0) { ${expression}; } 0`, { levels: 0 }, undefined, true)
    if (Result.isFailure(line)) return
    const parsed = yield* Effect.result(command(line.success, frame, TimeLimits.usual))
    const problem = Result.isFailure(parsed) ? explained(parsed.failure) : undefined
    if (problem?._tag === "AdapterError" && problem.detail.startsWith("expected ';'")) {
      return yield* adapterError(failures, "evaluate", "there is no operator between two of its values")
    }
  })
