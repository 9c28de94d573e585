/**
 * Takes a new run along a plan to a stop of the earlier run.
 */
import { Errors, type Breakpoint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Place, Request } from "../../model/BreakpointPlace.ts"
import type { Resume } from "../../ports/Backend.ts"
import type { RecordedBreakpoint } from "../../ports/Intent.ts"
import type { PastStop } from "../../session/PastStops.ts"
import * as Evidence from "./Evidence.ts"
import * as ReplayPlan from "./ReplayPlan.ts"
import * as Rerun from "./Rerun.ts"

/** What happens on the way to the stop. */
export interface Route<E = never> {
  readonly plan: ReplayPlan.ReplayPlan
  /** Places of breakpoints, by number. */
  readonly places: ReadonlyMap<number, Place>
  /** The watchpoint of the run, whose hits are reported when the time is up. */
  readonly watch?: number
  /** Called at each stop of the watchpoint, after which the run continues. */
  readonly onWatch?: (stop: Rerun.Stopped) => Effect.Effect<void, E>
  /** Called at a stop of an internal breakpoint. */
  readonly onInternal?: () => Effect.Effect<void, E>
}

/** A moment in a sentence: `stop #4`. */
export const momentOf = ({ stop }: PastStop): string => `stop #${stop}`

/** Returns the place of a breakpoint that was removed since. */
const placeOf = ({ locations, requested }: Breakpoint.Breakpoint): Place | undefined => {
  if (requested.file !== undefined && requested.line !== undefined) {
    return { kind: "line", file: requested.file, line: requested.line }
  }
  if (requested.function !== undefined) return { kind: "function", name: requested.function }
  const address = locations[0]?.address
  return address === undefined ? undefined : { kind: "special", at: { kind: "address", expression: address } }
}

/** Returns the request that sets a breakpoint again. */
const requestOf = (model: Breakpoint.Breakpoint, place: Place): Request => {
  const { condition, enabled, hits_wanted: hits, log, requested, temporary } = model
  const { cmd, continue: continues, eval: expressions, max, name, on_condition_error, thread, thread_name } = model
  return {
    text: requested.text,
    place,
    pending: true,
    temporary,
    disabled: !enabled,
    ...(condition === undefined ? {} : { condition }),
    ...(hits === undefined ? {} : { hits }),
    ...(log === undefined ? {} : { log }),
    behaviour: {
      ...(cmd === undefined ? {} : { cmd }),
      ...(continues === undefined ? {} : { continue: continues }),
      ...(expressions === undefined ? {} : { eval: expressions }),
      ...(max === undefined ? {} : { max }),
      ...(name === undefined ? {} : { name }),
      ...(on_condition_error === undefined ? {} : { on_condition_error }),
      ...(thread === undefined ? {} : { thread }),
      ...(thread_name === undefined ? {} : { thread_name })
    }
  }
}

/** Sets a breakpoint of the earlier run, with its number and no hits. */
export const setAgain = ({ session }: Rerun.Rerun, { model, place }: RecordedBreakpoint) =>
  session.breakpoints.addAgain(requestOf(model, place), { ...model, hit_count: 0 })

/** Gives a new run the breakpoints that the earlier one had when it resumed. */
const setAll = Effect.fnUntraced(function* (
  rerun: Rerun.Rerun,
  wanted: ReadonlyArray<Breakpoint.Breakpoint>,
  { places, watch }: Pick<Route, "places" | "watch">
) {
  const { breakpoints } = rerun.session
  const listed = wanted.filter(({ id, kind }) => id > 0 && kind !== "watch")
  const gone = breakpoints.list().filter((one) => one.id !== watch && !listed.some(({ id }) => id === one.id))
  if (gone.length > 0) yield* breakpoints.remove(gone.map(({ id }) => id))
  for (const model of listed) {
    const known = breakpoints.list().find(({ id }) => id === model.id)
    const place = places.get(model.id) ?? placeOf(model)
    if (known === undefined && place !== undefined) yield* setAgain(rerun, { model, place })
    const { condition, enabled, hits_wanted: hits } = model
    if (known === undefined) continue
    if (known.enabled === enabled && known.condition === condition && known.hits_wanted === hits) continue
    yield* breakpoints.change([model.id], { enabled, condition: condition ?? null, hits: hits ?? null })
  }
})

/** True for the stop of an internal breakpoint, which has no number. */
const isInternal = ({ stopped }: Rerun.Stopped) => stopped.reason === "until" && stopped.breakpoints.length === 0

/** Resumes by itself until the moment of the base. */
const toBase = Effect.fnUntraced(function* <E>(rerun: Rerun.Rerun, route: Route<E>) {
  const { base, target } = route.plan
  if (base.kind === "entry") return
  const { breakpoints } = rerun.session
  if (base.kind === "hit") {
    const { model, place } = base.breakpoint
    yield* setAgain(rerun, { place, model: { ...model, hits_wanted: String(base.hits), enabled: true } })
  }
  const moment = momentOf(route.plan.at ?? target)
  for (let own = 0; ;) {
    const stop = yield* resume(rerun, "continue", moment, route)
    if (route.watch !== undefined && stop.stopped.breakpoints.includes(route.watch)) {
      yield* route.onWatch?.(stop) ?? Effect.void
      continue
    }
    if (isInternal(stop)) yield* route.onInternal?.() ?? Effect.void
    if (base.kind === "hit" && stop.stopped.breakpoints.includes(base.breakpoint.model.id)) {
      yield* breakpoints.change([base.breakpoint.model.id], { hits: base.breakpoint.model.hits_wanted ?? null })
      return
    }
    if (ReplayPlan.isOwn(stop.stopped)) own += 1
    if (base.kind === "signal" && own === base.count) return
  }
})

const resume = (rerun: Rerun.Rerun, how: Resume, moment: string, { watch }: Pick<Route, "watch">, thread?: number) =>
  Rerun.resume(rerun, how, moment, {
    ...(watch === undefined ? {} : { watch }),
    ...(thread === undefined ? {} : { thread })
  })

const commands: ReadonlySet<string> = new Set(["continue", "next", "step", "finish", "stepi", "nexti"])
const isResume = (command: string): command is Resume => commands.has(command)

/** Repeats one resume of the earlier run, and compares where it stopped. */
const takeStep = Effect.fnUntraced(function* <E>(
  rerun: Rerun.Rerun,
  { resumption, to }: ReplayPlan.Step,
  route: Route<E>
) {
  const moment = momentOf(to)
  if (to.stopped.reason === "pause") {
    return yield* new Errors.InvalidState({ problem: `${moment} is a pause, and another run would not stop there` })
  }
  const command = resumption.command === "start" ? "continue" : resumption.command
  if (!isResume(command)) {
    return yield* new Errors.InvalidState({ problem: `${resumption.command} before ${moment} cannot be repeated` })
  }
  yield* setAll(rerun, resumption.breakpoints, route)
  let stop = yield* resume(rerun, command, moment, route)
  while (route.watch !== undefined && stop.stopped.breakpoints.includes(route.watch)) {
    yield* route.onWatch?.(stop) ?? Effect.void
    if (command !== "continue") {
      return yield* new Errors.NotReproduced({
        at: moment,
        expected: `the end of ${command}`,
        got: "a write in between"
      })
    }
    stop = yield* resume(rerun, command, moment, route)
  }
  if (isInternal(stop)) yield* route.onInternal?.() ?? Effect.void
  const expected = Evidence.past(to)
  if (!Evidence.isUsable(expected)) return
  const got = yield* Evidence.present(rerun.connection, stop.stopped, rerun.session.secrets)
  const difference = Evidence.difference(moment, expected, got)
  if (difference !== undefined) return yield* difference
})

/** Takes a new run, which is at its first instruction, to the target of the plan. Fails if the stops on the way differ. */
export const reach = Effect.fn("Replay.reach")(function* <E = never>(rerun: Rerun.Rerun, route: Route<E>) {
  yield* toBase(rerun, route)
  yield* Effect.forEach(route.plan.steps, (step) => takeStep(rerun, step, route), { discard: true })
})

/** Reads what identifies the present stop of a new run. */
export const evidence = ({ connection, session }: Rerun.Rerun) =>
  Effect.gen(function* () {
    const { stopped } = session.log.snapshot
    if (stopped === undefined) return yield* new Errors.NotStopped({})
    return yield* Evidence.present(connection, stopped, session.secrets)
  })
