/**
 * The errors of expressions with a name that the debugger does not know: a variable or a function, with similar names.
 */
import { Errors, Expression, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as SimilarNames from "../../breakpoints/SimilarNames.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"

/** Matches an expression that is one word. It may be the name of a type or a word of another language, such as `int` or `this`. */
const oneWord = /^\s*([A-Za-z_$][\w$]*)\s*$/

/** Returns how messages name the code of a frame. */
export const codeOf = (name: string | undefined): string =>
  name === undefined || name === "??" ? "the code of this frame" : name

/** Returns the functions that an expression calls by their bare names, and where. */
const called = (expression: string) =>
  [...expression.matchAll(/(?<![\w$.>:])([A-Za-z_]\w*)\s*\(/g)].map(({ 1: name = "", index }) => ({ name, index }))

/** Returns the expression with another name for a function that it calls. */
const renamed = (expression: string, name: string, other: string) => {
  const at = called(expression).find((one) => one.name === name)?.index ?? 0
  return `${expression.slice(0, at)}${other}${expression.slice(at + name.length)}`
}

/** Returns the error of a call of a function that is unknown, with similar functions. */
const ofFunction = Effect.fnUntraced(function* (view: StopView, expression: string, name: string) {
  const near = yield* SimilarNames.functions(view.connection.inspection, name)
  const [nearest] = near
  const detail = `no function '${name}'${near.length === 0 ? "" : `; nearest: ${near.join(", ")}`}`
  return new Errors.EvaluationFailed({
    expression,
    detail,
    reason: "unknown-name",
    remedies: [
      nearest === undefined ? Hint.help("find") : Hint.again("eval", { expression: renamed(expression, name, nearest) })
    ]
  })
})

/**
 * Fails with `VariableNotFound` if the error of an evaluation is an unknown name that is a variable of the expression: the only
 * one that is not in the frame, or the one that the debugger names. Fails with similar functions if it names one that is called.
 */
export const missing = Effect.fnUntraced(function* (
  view: StopView,
  at: Located,
  expression: string,
  error: Errors.EvaluationFailed
) {
  if (error.reason !== "unknown-name") return yield* error
  const visible = (yield* view.locals(at)).map((variable) => variable.name)
  const [, alone] = oneWord.exec(expression) ?? []
  const names = alone === undefined ? Expression.names(expression) : [alone]
  const [name, ...others] = names.filter((one) => !visible.includes(one))
  const named = error.unknown
  if (named !== undefined && !names.includes(named) && called(expression).some((one) => one.name === named))
    return yield* yield* ofFunction(view, expression, named)
  // The debugger may name another word, such as `and` where it does not know this operator, or a variable that is there.
  const isOther = named !== undefined && (!names.includes(named) || visible.includes(named))
  const unknown = isOther ? undefined : others.length === 0 ? name : [name, ...others].find((one) => one === named)
  if (unknown === undefined) return yield* error
  const { frame } = at
  return yield* new Errors.VariableNotFound({
    name: unknown,
    near: Expression.nearest(unknown, visible),
    ...(frame.line === undefined ? { undescribed: codeOf(frame.function) } : {})
  })
})
