/**
 * Recovers one lost session, or all of them at the same time.
 */
import { Errors, type Answer, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../../session/Session.ts"
import * as Calls from "../Calls.ts"
import * as Recover from "./Recover.ts"

type Payload = Operations.Payload<"recover">
type Data = Operations.Data<"recover">
type Outcome = NonNullable<Data["sessions"]>[number]

/** Shows the plan of a session, or recovers it. */
export const one = Effect.fnUntraced(function* ({ recovery, within }: Calls.Calls, session: Session, payload: Payload) {
  if (!payload.yes) return yield* within(session, (found) => Recover.shown(found, payload, recovery))
  const { data } = yield* within(session, (found) =>
    Effect.map(Recover.begin(found, payload, recovery), (begun) => ({ data: begun }))
  )
  return yield* within(data.session, (found) => Recover.answer(found, payload, data))
})

const outcome = (session: string, result: Effect.Effect<Answer.Answer<Data>, Errors.SigtrapError>) =>
  Effect.match(result, {
    onSuccess: ({ data: { recovered }, state }): Outcome => ({
      session,
      state,
      lost: recovered?.lost ?? [],
      ...(recovered === undefined ? {} : { how: recovered.how })
    }),
    onFailure: (error): Outcome => ({
      session,
      state: error.state ?? "lost",
      lost: [],
      error: { code: Errors.meta(error).code, message: error.message }
    })
  })

/** Shows the plans of all lost sessions, or recovers them. A session that fails does not keep the others from it. */
export const recover = Effect.fnUntraced(function* (calls: Calls.Calls, payload: Payload) {
  const all = yield* Recover.lost(calls.manager)
  if (!payload.yes) {
    const plans = yield* Effect.forEach(all, (session) => one(calls, session, payload))
    return Calls.withoutSession(Recover.plans(plans.map(({ data }) => data)))
  }
  const sessions = yield* Effect.forEach(all, (session) => outcome(session.name, one(calls, session, payload)), {
    concurrency: "unbounded"
  })
  return Calls.withoutSession<Data>({ done: true, sessions })
})
