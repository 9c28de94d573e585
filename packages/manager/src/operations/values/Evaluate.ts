/**
 * The handler of `eval`: an expression that may change the program.
 */
import { Field, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../../session/Session.ts"
import { expressionOf, isReference } from "../../session/values/References.ts"
import * as Selection from "../frames/Selection.ts"
import * as ForeignSyntax from "../names/ForeignSyntax.ts"
import * as UnknownNames from "../names/UnknownNames.ts"
import { shortened } from "./ValueMembers.ts"
import * as Values from "./Values.ts"

/** Handles `eval`. */
export const evaluate = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"eval">) {
  const view = yield* session.view
  const { expression: written } = payload
  const known = isReference(written) ? yield* session.references.resolve(written, view.stop) : undefined
  // The expression of a value belongs to the frame in which it was read.
  const { at } = yield* Selection.locate(session, view, known === undefined ? payload : { frame: known.within })
  yield* ForeignSyntax.check(session, view.stop, payload.expression)
  const expression = known === undefined ? payload.expression : yield* expressionOf(known)
  const value = yield* Values.evaluate(view, at, expression, "any", Field.millis(payload.timeout)).pipe(
    Effect.catchTag("EvaluationFailed", (error) => UnknownNames.missing(view, at, expression, error))
  )
  yield* view.recordPrinted(at, expression, value)
  return { data: { value: shortened(value, payload.max_string) } }
})
