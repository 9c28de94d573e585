/**
 * What `back` and `last-write` share: the session and its newest run, the attempts, and the answer in the session of the new run.
 */
import { Errors, Field, MonotonicTime, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Permission from "../../model/permissions/Permission.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import type { Place } from "../../model/BreakpointPlace.ts"
import type { Backend } from "../../ports/Backend.ts"
import type { Held } from "../../ports/ProgramRuns.ts"
import type { Manager } from "../../session/Manager.ts"
import * as AllowedSession from "../../model/permissions/AllowedSession.ts"
import * as Ownership from "../../session/consent/Ownership.ts"
import type { PastStop } from "../../session/stops/PastStops.ts"
import type { Session } from "../../session/Session.ts"
import type { Reply } from "../Reply.ts"
import * as PastStops from "../inspection/PastStops.ts"
import * as StopReport from "../stops/StopReport.ts"
import * as Evidence from "./Evidence.ts"
import * as ReplayPlan from "./ReplayPlan.ts"
import * as Replay from "./Replay.ts"
import * as Rerun from "./Rerun.ts"
import * as RunHistory from "./RunHistory.ts"

/** Services of these operations. */
export interface Services {
  readonly manager: Manager["Service"]
  readonly backend: Backend["Service"]
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
}

/** The fields that both operations have. */
export type Payload = Pick<
  Operations.Payload<"back">,
  "session" | "directory" | "timeout" | "attempts" | "in_place" | "context" | "lines"
>

/** A call: the session, its newest run and what new runs of it share. */
export interface Call {
  readonly session: Session
  readonly backend: Backend["Service"]
  readonly history: RunHistory.RunHistory
  readonly repeated: Rerun.Repeated
  readonly places: ReadonlyMap<number, Place>
  readonly began: number
  /** Counts the new runs. */
  readonly runs: { count: number }
}

/** Returns the name of the session in which a call answers. */
const nameOf = ({ session }: Pick<Call, "session">, { in_place }: Pick<Payload, "in_place">): string =>
  in_place ? session.name : `${session.name.slice(0, 59)}.back`

/** Fails unless the caller may end the session that has the name of the answer. */
const permitName = Effect.fnUntraced(function* (
  operation: string,
  session: Session,
  payload: Payload,
  services: Services
) {
  const name = nameOf({ session }, payload)
  yield* AllowedSession.permit(name)
  const other = (yield* services.manager.sessions).find((one) => one.name === name)
  if (other === undefined) return
  if (other !== session && other.label !== `new run of ${session.name}`) return yield* Ownership.nameInUse(name)
  yield* Ownership.permitEnd(operation, other, payload.in_place ? "in_place" : "session")
})

/** Selects the session of a call and reads its newest run. */
export const begin = Effect.fnUntraced(function* (operation: string, payload: Payload, services: Services) {
  const { backend, fs, manager } = services
  const began = yield* MonotonicTime.now
  const session = yield* manager.select(payload)
  const located = <E extends Errors.SigtrapError>(error: E) =>
    Errors.locate(error, { session: session.name, state: session.log.snapshot.state })
  return yield* Effect.gen(function* () {
    yield* Policy.permit(session.policy, "restart", "starting the program again")
    yield* Policy.check(session.policy, yield* Permission.Uses)
    yield* permitName(operation, session, payload, services)
    const history = yield* RunHistory.read(session)
    yield* Rerun.check(session)
    const timeout = Field.millis(payload.timeout)
    const call: Call = {
      session,
      backend,
      history,
      repeated: { session, began: history.began, manager, fs, timeout, deadline: began + timeout },
      places: new Map(session.breakpoints.recorded().map(({ model, place }) => [model.id, place])),
      began,
      runs: { count: 0 }
    }
    return call
  }).pipe(Effect.mapError(located))
})

/** Starts a new run, or takes a held one over, and counts it. */
export const run = ({ repeated, runs, session }: Call, held?: Held) =>
  Effect.suspend(() => {
    runs.count += 1
    return Rerun.start(repeated, held)
  }).pipe(
    // Numbers of breakpoints that the new run gets are those of the earlier one.
    Effect.tap((rerun) => Effect.sync(() => rerun.session.breakpoints.adopt([], session.breakpoints.last())))
  )

/** Returns the plan to a stop. */
export const planTo = (call: Call, target: PastStop) => {
  const { history, session } = call
  const isPause = target.stopped.reason === "pause"
  const plan = isPause
    ? undefined
    : ReplayPlan.to(target, history, session.breakpoints.recorded(), session.launch.stopOnEntry)
  if (plan !== undefined) return Effect.succeed(plan)
  const moment = Replay.momentOf(target)
  const problem = isPause
    ? `${moment} is a pause, and another run would not stop there`
    : `${moment} cannot be reached again: a stop before it is no longer kept`
  return Effect.fail(new Errors.InvalidState({ problem }))
}

/** Returns a kept stop of the newest run. */
export const stopOf = Effect.fnUntraced(function* ({ history, session }: Call, number: number) {
  const found = yield* PastStops.find(session, number)
  if (number > history.before) return found
  return yield* new Errors.InvalidState({ problem: `stop #${number} belongs to an earlier run of the program` })
})

/** Returns what identifies a stop: what the debugger knows, if the program is there, else what was read there. */
export const expectedAt = Effect.fnUntraced(function* ({ session }: Call, target: PastStop) {
  const { state, stop, stopped } = session.log.snapshot
  if (state === "stopped" && stop === target.stop && stopped !== undefined) {
    return yield* Evidence.present(yield* session.connection, stopped, session.secrets)
  }
  const expected = Evidence.past(target)
  if (Evidence.isUsable(expected)) return expected
  return yield* new Errors.InvalidState({
    problem: `nothing was read at stop #${target.stop}, so another run cannot be compared with it`
  })
})

/** Fails if the current stop of a new run is not the one that is expected. */
export const compare = Effect.fnUntraced(function* (rerun: Rerun.Rerun, target: PastStop, expected: Evidence.Evidence) {
  const difference = Evidence.difference(Replay.momentOf(target), expected, yield* Replay.evidence(rerun))
  if (difference !== undefined) return yield* difference
})

/** Tries again while a new run differs. */
export const attempted =
  ({ attempts }: Pick<Payload, "attempts">) =>
  <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.retry(effect, {
      times: attempts - 1,
      while: (error) => error._tag === "NotReproduced" && !("reads" in error && error.reads !== undefined)
    })

/** The answer of a call, without what only one operation has. */
type Found = Omit<Operations.Data<"back">, keyof Operations.Data<"continue">>

/**
 * Publishes a new run, which has arrived, with the breakpoints that the session has now. Returns its session, with the fields of
 * the answer.
 */
export const publish = Effect.fnUntraced(function* (
  call: Call,
  rerun: Rerun.Rerun,
  anchor: PastStop,
  payload: Payload
) {
  const { session } = rerun
  yield* rerun.unguard
  const set = session.breakpoints.list().map(({ id }) => id)
  for (const one of call.session.breakpoints.recorded()) {
    if (one.place.kind !== "watch" && !set.includes(one.model.id)) yield* Effect.ignore(Replay.setAgain(rerun, one))
  }
  const name = nameOf(call, payload)
  const found: Found = {
    session: name,
    anchor: { session: call.session.name, stop: anchor.stop },
    runs: call.runs.count,
    by: "re-execution"
  }
  yield* call.repeated.manager.publish(session, name)
  return { session, found, began: call.began }
})

/** A published session, and the fields of its answer. */
export interface Published {
  readonly session: Session
  readonly found: Found
  readonly began: number
}

/** Answers with the stop of the published session. */
export const answer = Effect.fnUntraced(function* ({ began, found, session }: Published, payload: Payload) {
  const size = { context: payload.context, lines: payload.lines }
  const { data, ...rest } = yield* StopReport.composeAt(session, size, session.log.snapshot)
  const elapsed_ms = Math.round((yield* MonotonicTime.now) - began)
  return { ...rest, data: { ...data, ...found, elapsed_ms } } satisfies Reply<Operations.Data<"back">>
})
