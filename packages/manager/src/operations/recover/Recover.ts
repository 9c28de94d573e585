/**
 * The handler of `recover`: shows how it would recover a lost session, or recovers it.
 *
 * Breakpoints are set before the program runs. A watchpoint needs the memory of its expression, which is known
 * only at a stop. So a program that is started again stops at main, and its watchpoints are set there.
 */
import { Errors, Hint, Session as Model, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Permission from "../../model/permissions/Permission.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import type { RecordedBreakpoint } from "../../ports/Intent.ts"
import type { Manager } from "../../session/Manager.ts"
import * as Ownership from "../../session/consent/Ownership.ts"
import type { Recovered } from "../../session/recovery/Recovery.ts"
import type { Session } from "../../session/Session.ts"
import type { Reply } from "../Reply.ts"
import * as RecoverPlan from "./RecoverPlan.ts"
import * as StartReport from "../start/StartReport.ts"
import * as Watchpoints from "../breakpoints/Watchpoints.ts"

type Payload = Operations.Payload<"recover">
type Data = Operations.Data<"recover">

/** Services of recovery. */
export interface Services extends RecoverPlan.Services {
  readonly manager: Manager["Service"]
  readonly path: Path.Path
}

const isLost = (session: Session) => session.log.snapshot.state === "lost"

/** Returns the lost sessions. */
export const lost = (manager: Manager["Service"]) => Effect.map(manager.sessions, (all) => all.filter(isLost))

/** Returns the named session; without a name the lost session of the directory, or the only lost one. */
export const select = Effect.fnUntraced(function* (manager: Manager["Service"], payload: Payload) {
  const { directory, name = payload.session } = payload
  const all = yield* lost(manager)
  if (name !== undefined) return yield* requireLost(yield* manager.select({ session: name }))
  const current = yield* Effect.option(manager.select(directory === undefined ? {} : { directory }))
  if (Option.isSome(current) && isLost(current.value)) return current.value
  const [only, second] = all
  if (only === undefined) {
    if ((yield* manager.sessions).length === 0) return yield* new Errors.NoSession({})
    return yield* new Errors.InvalidState({ problem: "no session is lost", remedies: [Hint.call("sessions", {})] })
  }
  if (second === undefined) return only
  const names = all.map((session) => session.name)
  return yield* new Errors.AmbiguousSession({
    names,
    remedies: [Hint.call("recover", { all: true }), ...names.map((name) => Hint.call("recover", { name }))]
  })
})

const requireLost = (session: Session) => {
  if (isLost(session)) return Effect.succeed(session)
  const { state } = session.log.snapshot
  return Effect.fail(
    Errors.locate(
      new Errors.InvalidState({
        problem: `session ${session.name} is not lost; it is ${state}`,
        remedies: [Model.isLive(state) ? Hint.call("status", {}) : Hint.call("restart", {})]
      }),
      { session: session.name, state }
    )
  )
}

/** Answers with the plan of one session. */
export const shown = Effect.fnUntraced(function* (session: Session, payload: Payload, services: Services) {
  const { plan } = yield* RecoverPlan.make(session, payload, services)
  const reply: Reply<Data> = { data: { done: false, plan: [plan] } }
  return reply
})

/** Recovers a session. The policies of the session and of the caller apply. */
export const begin = Effect.fnUntraced(function* (session: Session, payload: Payload, services: Services) {
  yield* Ownership.permitControl(session)
  const { breakpoints, launch: planned, plan } = yield* RecoverPlan.make(session, payload, services)
  const failure = RecoverPlan.failure(session, plan)
  if (failure !== undefined) return yield* failure
  // The recorded launch may run debugger commands, which the payload does not show.
  const { commands, options } = planned
  if (commands !== undefined || options !== undefined) {
    yield* Permission.permit("recover", [{ effect: "raw", field: commands === undefined ? "adapter_opt" : "init_cmd" }])
  }
  const own = yield* Policy.checkLaunch(session.policy, planned, services)
  const launch = yield* Policy.checkLaunch(Policy.of({ settings: payload.settings }), own, services)
  const recovered = yield* services.manager
    .recover(session, launch, breakpoints)
    .pipe(Effect.mapError((error) => RecoverPlan.withWaitHint(error, session, launch, breakpoints)))
  return { ...recovered, plan }
})

const nameOf = ({ model }: RecordedBreakpoint) => `watchpoint ${model.id} ${model.requested.text}`

/** Sets watchpoints again at a stop. Returns those that could not be set. */
const restoreWatches = Effect.fnUntraced(function* (session: Session, watches: ReadonlyArray<RecordedBreakpoint>) {
  const lost = yield* Effect.forEach(watches, (watch) =>
    Effect.match(Watchpoints.restore(session, watch.model), {
      onSuccess: () => [],
      onFailure: (error) => [{ what: nameOf(watch), why: error.message }]
    })
  )
  session.intent.hold([])
  return lost.flat()
})

/** Answers with the first stop and with what could not be recovered. */
export const answer = Effect.fnUntraced(function* (
  session: Session,
  payload: Payload,
  { before, plan, token, watches }: Recovered & { readonly plan: RecoverPlan.Prepared["plan"] }
) {
  const later =
    watches.length === 0
      ? Effect.void
      : session
          .await(({ state }) => state === "stopped" || !Model.isLive(state), Infinity)
          .pipe(Effect.andThen(restoreWatches(session, watches)), Effect.forkIn(session.scope), Effect.asVoid)
  const stopsAtOnce = session.launch.existing === undefined || session.launch.stopOnEntry
  const report = stopsAtOnce ? StartReport.answer(session, payload, token) : StartReport.current(session, payload)
  const { data, truncated } = yield* Effect.tapError(report, () => later)
  const isStopped = session.log.snapshot.state === "stopped"
  if (!isStopped) yield* later
  const unset = isStopped
    ? yield* restoreWatches(session, watches)
    : watches.map((watch) => ({ what: nameOf(watch), why: "it is set at the next stop" }))
  const breakpoints = session.breakpoints.list()
  const lost = [...plan.lost, ...RecoverPlan.unresolved(before, breakpoints, isStopped), ...unset]
  const { set_breakpoints: _, ...shownReport } = data
  const reply: Reply<Data> = {
    data: { ...shownReport, done: true, recovered: { how: plan.how, breakpoints, lost } },
    truncated
  }
  return reply
})

/** Returns the data of `recover --all` without `yes`. */
export const plans = (all: ReadonlyArray<Data>): Data => ({
  done: false,
  plan: all.flatMap(({ plan }) => plan ?? [])
})
