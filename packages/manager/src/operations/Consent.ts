/**
 * Consent of a person to calls: asks for the effects that a call lacks, and runs it once they are allowed.
 *
 * A call is refused before anything happens, so it can be attempted again with exactly what was accepted. A person at a terminal
 * gets a warning in each answer for each call that waits. Also the handlers of `ask`.
 */
import { type Answer, Caller, type Effects, Errors, Hint, Operation, type Operations, Payload } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as ClientRules from "../model/permissions/ClientRules.ts"
import * as Permission from "../model/permissions/Permission.ts"
import type { Manager } from "../session/Manager.ts"
import { onlyReads } from "../session/callers/Activity.ts"
import type { AnswerFailure, Asking, Questions } from "../session/consent/Questions.ts"
import type { Session } from "../session/Session.ts"
import * as Selection from "./frames/Selection.ts"

/** True within a call to which the rules of the owner were applied: the commands of a script. */
const Ruled = Context.Reference<boolean>("@sigtrap/manager/Consent/Ruled", { defaultValue: () => false })

/** The most times that one call asks: each answer can reveal another effect. */
const mostQuestions = 4

/** Longest time in which the frame of a call is looked for before its question is asked. */
const frameTime = "1 second"

/** True if a call of the operation acts on a session that is there before it. */
const actsOnSession = (operation: Operation.Any): boolean =>
  Operation.meta(operation).execution !== "start" && Payload.hasField(operation, "session")

/** Returns the function of the frame on which a call acts; none if the operation has no frame or the program runs. */
const functionOf = (operation: Operation.Any, payload: unknown, session: Session | undefined) => {
  const hasFrame = Payload.hasField(operation, "frame")
  if (!hasFrame || session?.log.snapshot.state !== "stopped") return Effect.succeedNone
  const { frame, thread } = Predicate.isReadonlyObject(payload) ? payload : {}
  const named = {
    ...(Predicate.isNumber(thread) ? { thread } : {}),
    ...(Predicate.isNumber(frame) || Predicate.isString(frame) ? { frame } : {})
  }
  return session.view.pipe(
    Effect.flatMap((view) => Selection.locate(session, view, named)),
    Effect.map(({ at }) => at.frame.function),
    Effect.timeoutOption(frameTime),
    Effect.catch(() => Effect.succeedNone)
  )
}

/** Returns the fields that select a session. */
const selectorOf = (payload: unknown) => {
  const { directory, session } = Predicate.isReadonlyObject(payload) ? payload : {}
  return {
    ...(Predicate.isString(session) ? { session } : {}),
    ...(Predicate.isString(directory) ? { directory } : {})
  }
}

/** Most waiting calls that one answer names. */
const mostNamed = 3

/** Returns the warnings of calls that wait, for a person at a terminal: who waits, and for what. */
const announcements = Effect.fnUntraced(function* (
  { actor }: Caller.Caller,
  operation: Operation.Any,
  questions: Questions
): Effect.fn.Return<ReadonlyArray<Answer.Warning>> {
  if (actor.kind !== "cli" || Caller.role(actor) !== "person" || operation._tag.startsWith("ask.")) return []
  const open = yield* questions.list
  return open
    .filter((question) => question.actor.id !== Caller.id(actor))
    .slice(-mostNamed)
    .map(({ actor: asker, id, operation: asked, session, tier }) => ({
      code: "CONSENT_WANTED",
      message: `${asker.id} waits for your consent to ${asked}${session === undefined ? "" : ` in ${session}`} (${tier}), request ${id}`,
      hints: [Hint.call("ask.list", {})]
    }))
})

/** Returns the error of a call that another client's control lease forbids; undefined for one that reads or ignores the lease. */
const leaseRefusal = ({ actor }: Caller.Caller, { operation, payload, session }: Asking) =>
  session === undefined || Operation.meta(operation).ignoresLease || onlyReads(Permission.usesOf(operation, payload))
    ? undefined
    : session.lease.refusal(actor)

/** Records a call that was refused before it ran, in the activity of its session. */
const recordDenied =
  (caller: Caller.Caller, { operation, payload, session }: Asking) =>
  <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tapError(work, (error) =>
      Effect.sync(() => {
        if (!(error instanceof Errors.ConsentDenied || error instanceof Errors.LeaseHeld)) return
        const call = { operation, payload, uses: Permission.usesOf(operation, payload), isChecked: true }
        session?.activity.record(caller.actor, call, { error })
      })
    )

const isRefusal = (error: unknown): error is Errors.TierRequired => error instanceof Errors.TierRequired

/** Attempts a call until it has what it needs, or is denied. */
const attempted =
  ({ select }: Manager["Service"], caller: Caller.Caller, questions: Questions) =>
  <A, E>(
    operation: Operation.Any,
    payload: unknown,
    work: Effect.Effect<A, E>
  ): Effect.Effect<A, E | Errors.TierRequired | Errors.ConsentDenied | Errors.SessionNotFound | Errors.LeaseHeld> =>
    Effect.gen(function* () {
      if (caller.asks === undefined) return yield* work
      const selected = actsOnSession(operation) ? yield* Effect.result(select(selectorOf(payload))) : undefined
      const session = selected === undefined ? undefined : Option.getOrUndefined(Result.getSuccess(selected))
      const problem = selected === undefined ? undefined : Option.getOrUndefined(Result.getFailure(selected))
      const missing = problem instanceof Errors.SessionNotFound ? problem : undefined
      const asking: Asking = { operation, payload, session }
      const denied = recordDenied(caller, asking)
      let accepted: ReadonlyArray<Effects.Use> = yield* denied(questions.take(caller, asking))
      for (let asked = 1; ; asked += 1) {
        const allowance = { ...caller.allowance, uses: [...caller.allowance.uses, ...accepted] }
        const result = yield* Effect.result(Effect.provideService(work, Caller.Current, { ...caller, allowance }))
        if (Result.isSuccess(result)) return result.success
        const { failure } = result
        if (!isRefusal(failure) || asked > mostQuestions) return yield* Effect.fail(failure)
        // No person is asked about a call that cannot run.
        if (missing !== undefined) return yield* Effect.fail(missing)
        const held = leaseRefusal(caller, asking)
        if (held !== undefined) return yield* denied(Effect.fail(held))
        const named = Option.getOrUndefined(yield* functionOf(operation, payload, asking.session))
        const place = named === undefined ? {} : { function: named }
        accepted = [...accepted, ...(yield* denied(questions.ask({ ...asking, ...place }, failure, accepted)))]
      }
    })

/**
 * Returns a wrapper that attempts a call until it has what it needs, or is denied. The answer to a person at a terminal has a
 * warning for each call that waits for consent.
 */
export const around =
  (manager: Manager["Service"]) =>
  <A extends Answer.Answer<unknown>, E>(
    operation: Operation.Any,
    payload: unknown,
    work: Effect.Effect<A, E>
  ): Effect.Effect<A, E | Errors.TierRequired | Errors.ConsentDenied | Errors.SessionNotFound | Errors.LeaseHeld> =>
    Effect.gen(function* () {
      const [own, questions, isRuled] = yield* Effect.all([manager.caller, manager.questions, Ruled])
      const caller = isRuled ? own : ClientRules.applied(yield* questions.rules, own)
      questions.presence.called(caller.actor)
      const answer = yield* attempted(manager, caller, questions)(operation, payload, work).pipe(
        Effect.provideService(Ruled, true),
        Effect.provideService(Caller.Current, caller)
      )
      const warnings = yield* announcements(caller, operation, questions)
      return warnings.length === 0 ? answer : { ...answer, warnings: [...answer.warnings, ...warnings] }
    })

/** Handles `ask.list`. */
export const list = ({ questions }: Manager["Service"]): Effect.Effect<Operations.Data<"ask.list">> =>
  Effect.map(
    Effect.flatMap(questions, (all) => all.list),
    (requests) => ({ requests })
  )

/** Handles `ask.answer`. */
export const answer = (
  { questions }: Manager["Service"],
  payload: Operations.Payload<"ask.answer">
): Effect.Effect<Operations.Data<"ask.answer">, AnswerFailure> =>
  Effect.flatMap(questions, (all) => all.answer(payload.id, payload.answer))
