/**
 * LLDB's error messages by what they mean.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Failures } from "../Failures.ts"

/** Matches LLDB's error in a function whose debug information has no variables, as that of `-g1` and of code without any. */
const noVariables = /^no (?:variable|debug) information/i

/** Answers with nothing if the debug information has no variables. */
export const withoutVariables = <A>(
  read: Effect.Effect<A, Backend.Failure>,
  nothing: A
): Effect.Effect<A, Backend.Failure> =>
  read.pipe(
    Effect.catchTag("AdapterError", (error) =>
      noVariables.test(error.detail.replace(/^error: /, "")) ? Effect.succeed(nothing) : Effect.fail(error)
    )
  )

/** Matches a name without operators: LLDB has no value for one if it is a type, such as `id` of Objective-C. */
const bareName = /^\s*[A-Za-z_]\w*(?:::\w+)*\s*$/

/** True if an expression that has no value is the name of a type. */
export const isTypeName = (expression: string): boolean => bareName.test(expression)

/** Returns LLDB's words for a name that is not a variable. */
export const notVariable = (name: string): string => `no variable named '${name.trim()}' found in this frame`

/** The patterns of LLDB. */
export const failures: Failures = {
  // lldb-dap refers to a console that only editors have.
  launchCommand: /^Failed to run (?<name>init|preRun)Commands commands/,
  "unknown-type": /has unknown return type/,
  "unknown-name": /(?:undeclared identifier|no (?:variable or instance )?variable named)(?: '(?<name>[^']+)')?/,
  "not-assignable": /array type .* is not assignable|no viable overloaded '='/,
  "wrong-type": /assigning to .* from incompatible type|with const-qualified type/,
  "bit-field": /address of bit-field/,
  "unknown-function": /Unable to find symbol|no function|not find/i,
  // LLDB stops a call that exceeds its time limit with the text of any other interrupted call.
  interrupted: /^Execution was interrupted|timed out/i,
  "not-running": /Process is not running/i,
  // The compiler's messages have the position in the expression; LLDB compiles the whole expression first.
  "not-run":
    /^(?:error: )?(?:<user expression \d+>:\d+:\d+: |'[^'\n]*' is not a valid command|Register not found for )/,
  runsCommands: /^\s*(?:sc|com)/i,
  forbidden: /not permitted|ptrace_scope|permission denied/i,
  unreachable:
    /process unloaded during launch or attach|connection refused|could not connect|failed to connect|went away/i
}
