/**
 * What counts as a failure of a run: `exit`, `crash`, `assert`, `output:/RE/`, `hang:DURATION`.
 */
import { Field, Pattern } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Run } from "../../ports/ProgramRuns.ts"

/** How a runner decides by the exit code of a test, if not by 0. `by` is its own word for that. */
export interface Verdict {
  readonly by: string
  /** True if the exit code 0 fails, and every other one passes. */
  readonly isInverted?: boolean
  /** An exit code with which the test was skipped. */
  readonly skip?: number
  /** True if something else than the exit code decides. */
  readonly isUnknown?: boolean
}

/** The rules of one call. */
export interface Rules {
  readonly exit: boolean
  /** A fatal signal, an exception, a panic or a sanitizer's report. */
  readonly crash: boolean
  readonly assert: boolean
  readonly output?: Pattern.Pattern
  /** Milliseconds. */
  readonly hang?: number
  /** How the runner of a test decides by the exit code. */
  readonly verdict?: Verdict
}

/** True if an exit code is a failure by the rules. */
export const isFailedExit = ({ exit, verdict }: Rules, code: number): boolean => {
  if (!exit || verdict?.isUnknown === true || code === verdict?.skip) return false
  return (code === 0) === (verdict?.isInverted === true)
}

/** Parses the rules. Without any, a crash and an assertion are failures, and with `exits` an exit code other than 0. */
export const parse = Effect.fnUntraced(function* (
  texts: ReadonlyArray<string>,
  exits: boolean
): Effect.fn.Return<Rules, string> {
  if (texts.length === 0) return { exit: exits, crash: true, assert: true }
  let rules: Rules = { exit: false, crash: false, assert: false }
  for (const text of texts) {
    const [, word = "", rest] = /^([a-z]+)(?::(.*))?$/s.exec(text) ?? []
    if (rest === undefined && (word === "exit" || word === "crash" || word === "assert")) {
      rules = { ...rules, [word]: true }
    } else if (word === "output" && rest !== undefined && /^\/.+\/$/s.test(rest)) {
      yield* Pattern.load
      const parsed = Pattern.parse(rest.slice(1, -1))
      if (Result.isFailure(parsed)) return yield* Effect.fail(parsed.failure.problem)
      rules = { ...rules, output: parsed.success }
    } else if (word === "hang" && rest !== undefined && /^\d+(?:\.\d+)?(?:ms|s|m)$/.test(rest)) {
      rules = { ...rules, hang: Field.millis(rest) }
    } else {
      return yield* Effect.fail(`'${text}' is not a rule; write exit, crash, assert, output:/RE/ or hang:10s`)
    }
  }
  return rules
})

/** True if a run failed by the rules. A runtime's report tells an assertion from a crash. */
export const isFailure = (
  { code, outcome, reported }: Pick<Run, "outcome" | "reported" | "code">,
  rules: Rules
): boolean => {
  switch (outcome) {
    case "passed":
      return false
    case "signal":
      return reported === "assert" ? rules.assert : rules.crash
    case "exit":
      return (
        (rules.exit && code !== 0) || (reported === "assert" ? rules.assert : reported !== undefined && rules.crash)
      )
    default:
      return true
  }
}
