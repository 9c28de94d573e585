/**
 * Consent of a person to calls: asks for the effects that a call lacks, and runs it once they are allowed.
 *
 * A call is refused before anything happens, so it can be attempted again with exactly what was accepted. Also the handlers of
 * `ask`.
 */
import { Caller, type Effects, Errors, Operation, type Operations, Payload } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Manager } from "../session/Manager.ts"
import type { AnswerFailure, Asking } from "../session/Questions.ts"

/** The most times that one call asks: each answer can reveal another effect. */
const mostQuestions = 4

/** True if a call of the operation acts on a session that is there before it. */
const actsOnSession = (operation: Operation.Any): boolean =>
  Operation.meta(operation).execution !== "start" && Object.hasOwn(Payload.published(operation).properties, "session")

/** Returns the fields that select a session. */
const selectorOf = (payload: unknown) => {
  const { directory, session } = Predicate.isReadonlyObject(payload) ? payload : {}
  return {
    ...(Predicate.isString(session) ? { session } : {}),
    ...(Predicate.isString(directory) ? { directory } : {})
  }
}

const isRefusal = (error: unknown): error is Errors.TierRequired => error instanceof Errors.TierRequired

/** Returns a wrapper that attempts a call until it has what it needs, or is denied. */
export const around =
  ({ questions: all, select }: Manager["Service"]) =>
  <A, E>(
    operation: Operation.Any,
    payload: unknown,
    work: Effect.Effect<A, E>
  ): Effect.Effect<A, E | Errors.TierRequired | Errors.ConsentDenied> =>
    Effect.gen(function* () {
      const [caller, questions] = yield* Effect.all([Caller.Current, all])
      questions.attendance.called(caller.actor)
      if (caller.asks === undefined) return yield* work
      const asking: Asking = {
        operation,
        payload,
        session: actsOnSession(operation)
          ? Option.getOrUndefined(yield* Effect.option(select(selectorOf(payload))))
          : undefined
      }
      let accepted: ReadonlyArray<Effects.Use> = yield* questions.take(caller, asking)
      for (let asked = 1; ; asked += 1) {
        const allowance = { ...caller.allowance, uses: [...caller.allowance.uses, ...accepted] }
        const result = yield* Effect.result(Effect.provideService(work, Caller.Current, { ...caller, allowance }))
        if (Result.isSuccess(result)) return result.success
        const { failure } = result
        if (!isRefusal(failure) || asked > mostQuestions) return yield* Effect.fail(failure)
        accepted = [...accepted, ...(yield* questions.ask(asking, failure, accepted))]
      }
    })

/** `ask.list` */
export const list = ({ questions }: Manager["Service"]): Effect.Effect<Operations.Data<"ask.list">> =>
  Effect.map(
    Effect.flatMap(questions, (all) => all.list),
    (requests) => ({ requests })
  )

/** `ask.answer` */
export const answer = (
  { questions }: Manager["Service"],
  payload: Operations.Payload<"ask.answer">
): Effect.Effect<Operations.Data<"ask.answer">, AnswerFailure> =>
  Effect.flatMap(questions, (all) => all.answer(payload.id, payload.answer))
