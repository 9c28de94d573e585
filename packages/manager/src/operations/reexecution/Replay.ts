/**
 * Takes a new run along a plan to a stop of the earlier run.
 */
import { Errors, type Breakpoint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Place, Request } from "../../model/BreakpointPlace.ts"
import type { Resume } from "../../ports/Backend.ts"
import type { RecordedBreakpoint } from "../../ports/Intent.ts"
import type { PastStop } from "../../session/stops/PastStops.ts"
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
  /** Where the steps of the plan end, by the number of the stop. A step in which LLDB ignores a write would not end. */
  readonly ends?: ReadonlyMap<number, End>
  /** Called at each write that was asked for, after which the run continues. */
  readonly onWatch?: () => Effect.Effect<void, E>
  /** Called at a stop of an internal breakpoint. */
  readonly onInternal?: () => Effect.Effect<void, E>
}

/** Where a step ends: the address of the instruction, and the stack pointer there. */
export interface End {
  readonly address: string
  readonly activation: string | undefined
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

/**
 * Handles a stop of the watchpoint. Returns true if the program is at a breakpoint, too: LLDB will not stop at it when the program
 * resumes.
 */
const atWrite = Effect.fnUntraced(function* <E>(rerun: Rerun.Rerun, { onWatch }: Route<E>) {
  const { isBreakpoint, isWrite } = yield* rerun.reexecution.writeStop
  if (isWrite) yield* onWatch?.() ?? Effect.void
  return isBreakpoint
})

/** True for a stop of the watchpoint of the run. */
const isAtWatch = ({ stopped }: Rerun.Stopped, { watch }: Pick<Route, "watch">) =>
  watch !== undefined && stopped.breakpoints.includes(watch)

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
    const isAtBreakpoint = isAtWatch(stop, route) && (yield* atWrite(rerun, route))
    if (isAtWatch(stop, route) && !isAtBreakpoint) continue
    if (isInternal(stop)) yield* route.onInternal?.() ?? Effect.void
    if (base.kind === "hit" && (isAtBreakpoint || stop.stopped.breakpoints.includes(base.breakpoint.model.id))) {
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

/** Continues to the next stop that is none of the watchpoint alone. */
const toNext = Effect.fnUntraced(function* <E>(rerun: Rerun.Rerun, how: Resume, moment: string, route: Route<E>) {
  for (;;) {
    const stop = yield* resume(rerun, how, moment, route)
    if (!isAtWatch(stop, route) || (yield* atWrite(rerun, route))) return stop
    if (how !== "continue") {
      return yield* new Errors.NotReproduced({ at: moment, expected: `the end of ${how}`, got: "a write in between" })
    }
  }
})

/** Continues to where a step ended in a run without a watchpoint. */
const toEnd = Effect.fnUntraced(function* <E>(
  rerun: Rerun.Rerun,
  { activation, address }: End,
  moment: string,
  route: Route<E>
) {
  const { breakpoints } = rerun.session
  const end = yield* breakpoints.addInternal({
    text: moment,
    place: { kind: "special", at: { kind: "address", expression: address } },
    pending: false,
    temporary: false,
    ...(activation === undefined ? {} : { condition: `(unsigned long)$sp == ${activation}` })
  })
  const stop = yield* toNext(rerun, "continue", moment, route)
  yield* breakpoints.remove([end])
  return stop
})

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
  const end = route.ends?.get(to.stop)
  // LLDB forgets a step in which it ignores a write.
  const how = route.watch !== undefined && ReplayPlan.isOwn(to.stopped) ? "continue" : command
  const stop = yield* end === undefined ? toNext(rerun, how, moment, route) : toEnd(rerun, end, moment, route)
  if (end === undefined && isInternal(stop)) yield* route.onInternal?.() ?? Effect.void
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

/** Takes a new run without a watchpoint along the plan. Returns where its steps end. */
export const endsOf = Effect.fnUntraced(function* (
  rerun: Rerun.Rerun,
  { places, plan }: Pick<Route, "places" | "plan">
) {
  const ends = new Map<number, End>()
  const route: Route = { plan, places }
  yield* toBase(rerun, route)
  for (const step of plan.steps) {
    yield* takeStep(rerun, step, route)
    const { stopped } = rerun.session.log.snapshot
    if (!ReplayPlan.isStep(step) || stopped === undefined) continue
    const { frames } = yield* rerun.connection.stack(stopped.thread ?? 0, 0, 1)
    const { activation, address } = frames[0] ?? {}
    if (address !== undefined) ends.set(step.to.stop, { address, activation })
  }
  return ends
})

/** Reads what identifies the current stop of a new run. */
export const evidence = ({ connection, session }: Rerun.Rerun) =>
  Effect.gen(function* () {
    const { stopped } = session.log.snapshot
    if (stopped === undefined) return yield* new Errors.NotStopped({})
    return yield* Evidence.present(connection, stopped, session.secrets)
  })
