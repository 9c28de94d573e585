/**
 * The handler of `set`: assigns a value and reads it back.
 */
import { Errors, Expression, Hint, type Operations, type Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as EvaluationError from "../../model/EvaluationError.ts"
import * as RunsCode from "../../ports/RunsCode.ts"
import * as AssignedText from "./AssignedText.ts"
import * as ForeignSyntax from "../names/ForeignSyntax.ts"
import { expressionOf, isReference } from "../../session/values/References.ts"
import * as Selection from "../frames/Selection.ts"
import * as UnknownNames from "../names/UnknownNames.ts"
import type { Session } from "../../session/Session.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"
import { shortened } from "./ValueMembers.ts"
import { evaluate, read } from "./Values.ts"

/** Returns the text of a value before or after an assignment. */
const textOf = (value: Variable.Variable) => value.value

/** Adds the call that GDB writes as `set args` or `set env`, unless the program has a variable of this name. */
const asSetting = (error: Errors.VariableNotFound, value: string): Errors.VariableNotFound => {
  const hint =
    error.name === "args"
      ? Hint.call("restart", { args: value.split(/\s+/) }, "to run it with these arguments")
      : error.name === "env" || error.name === "environment"
        ? Hint.help("start", "its option env sets a variable")
        : undefined
  return hint === undefined ? error : new Errors.VariableNotFound({ ...error, remedies: [hint] })
}

/**
 * Fails if an assignment may run code of the program by its value, and the caller may not. The target was read before, so none of its
 * members has a getter or a setter.
 */
const checkAssigned = Effect.fnUntraced(function* (session: Session, view: StopView, at: Located, value: string) {
  const { assign, propertiesRunCode = false, refusesCode = false } = yield* session.connection
  const runsCode = yield* RunsCode.forCaller(Effect.service(RunsCode.RunsCode))
  // Where an assignment is an expression, a debugger that refuses code refuses it there too.
  const isChecked = propertiesRunCode || (refusesCode && assign !== undefined)
  if (isChecked && runsCode !== true && !Expression.isConstant(value)) yield* read(view, at, value)
})

/** `set`: assigns a value and reads it back. */
export const set = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"set">) {
  const view = yield* session.view
  const known = isReference(payload.target) ? yield* session.references.resolve(payload.target, view.stop) : undefined
  // The expression of a value belongs to the frame in which it was read.
  const { at } = yield* Selection.locate(session, view, known === undefined ? payload : { frame: known.within })
  const target = known === undefined ? payload.target : yield* expressionOf(known)
  const value = payload.value.trim()
  yield* ForeignSyntax.check(session, view.stop, target)
  const before = yield* read(view, at, target).pipe(
    Effect.catchTag("VariableNotFound", (error) => Effect.fail(asSetting(error, value)))
  )
  const { assign } = yield* session.connection
  yield* checkAssigned(session, view, at, value)
  if (assign === undefined) {
    const visible = (yield* view.locals(at)).map((variable) => variable.name)
    const assignment = yield* AssignedText.expressionOf(target, before.type, value, visible)
    yield* evaluate(view, at, assignment, "any").pipe(
      Effect.catchTag("EvaluationFailed", (error) =>
        Effect.fail(AssignedText.refusal(target, before.type, value, error) ?? error)
      ),
      Effect.catchTag("EvaluationFailed", (error) => UnknownNames.missing(view, at, value, error))
    )
  } else {
    yield* RunsCode.forCaller(assign(target, value, at.handle)).pipe(
      Effect.catchTag("AdapterError", (error) => Effect.fail(EvaluationError.of(`${target} = ${value}`, error)))
    )
    view.forget()
  }
  const after = yield* evaluate(view, at, target, "read")
  yield* view.recordPrinted(at, target, after)
  return { data: { name: target, old: textOf(before), new: shortened(after, payload.max_string) } }
})
