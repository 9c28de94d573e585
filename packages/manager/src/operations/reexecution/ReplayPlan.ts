/**
 * How another run of a program gets to a stop of an earlier run.
 *
 * A plan begins with a moment that a run reaches by itself: its first instruction, the n-th signal, or the n-th hit of a
 * breakpoint that was set from the beginning. From there the resumes of the earlier run are repeated one by one. Earlier
 * resumes are left out only where the moment does not depend on them.
 */
import type { Breakpoint } from "@sigtrap/protocol"
import type { RecordedBreakpoint } from "../../ports/Intent.ts"
import type { PastStop } from "../../session/stops/PastStops.ts"
import type { Resumption, RunHistory } from "./RunHistory.ts"

/** A moment that a run reaches by itself. */
type Base =
  | { readonly kind: "entry" }
  /** The stop of this number among those that the program makes by itself. */
  | { readonly kind: "signal"; readonly count: number }
  | { readonly kind: "hit"; readonly breakpoint: RecordedBreakpoint; readonly hits: number }

/** A resume, and the stop to which it led. */
export interface Step {
  readonly resumption: Resumption
  readonly to: PastStop
}

/** True for a resume that ends where the debugger ends it: a step that the program did not interrupt by a signal. */
export const isStep = ({ resumption, to }: Step): boolean =>
  resumption.command !== "start" && resumption.command !== "continue" && !isOwn(to.stopped)

/** How to get to a stop. */
export interface ReplayPlan {
  readonly base: Base
  /** The stop of the base; absent for the first instruction. */
  readonly at?: PastStop
  readonly steps: ReadonlyArray<Step>
  readonly target: PastStop
}

/** True for a stop that the program makes by itself, whatever breakpoints are set. */
export const isOwn = ({ breakpoints, reason }: Pick<PastStop["stopped"], "breakpoints" | "reason">): boolean =>
  breakpoints.length === 0 && (reason === "signal" || reason === "exception" || reason === "sanitizer")

/** True if the debugger counts all hits of a breakpoint without a decision at a stop. */
const isCounted = (one: Breakpoint.Breakpoint): boolean =>
  one.enabled &&
  !one.temporary &&
  one.condition === undefined &&
  one.hits_wanted === undefined &&
  one.log === undefined &&
  one.thread === undefined &&
  one.thread_name === undefined &&
  one.continue !== true &&
  one.max === undefined

/** True for a watchpoint with hits that stop the program at none of them. */
const ignoresHits = (one: Breakpoint.Breakpoint): boolean => one.kind === "watch" && one.enabled && !isCounted(one)

/**
 * True if the earlier run may have passed a breakpoint without counting it: LLDB 19 does so where it resumes after a hit of a
 * watchpoint at the same address.
 */
const mayBePassed = (
  { locations }: Breakpoint.Breakpoint,
  before: ReadonlyArray<Resumption>,
  stops: ReadonlyArray<PastStop>
): boolean =>
  before.some(({ breakpoints }) => breakpoints.some(ignoresHits)) ||
  stops.some(
    ({ place, stopped }) =>
      stopped.reason === "watchpoint" &&
      (place?.address === undefined || locations.some(({ address }) => address === place.address))
  )

/** Returns the base of a stop; undefined if it depends on the resumes before it. */
const baseOf = (
  stop: PastStop,
  history: RunHistory,
  places: ReadonlyMap<number, RecordedBreakpoint>
): Base | undefined => {
  if (isOwn(stop.stopped)) {
    return { kind: "signal", count: history.stops.filter((one) => one.stop <= stop.stop && isOwn(one.stopped)).length }
  }
  const before = history.resumptions.filter(({ left }) => left < stop.stop)
  // A step that ends at a breakpoint may count no hit.
  if (!before.every(({ command }) => command === "start" || command === "continue")) return undefined
  for (const id of stop.stopped.breakpoints) {
    const model = before.at(-1)?.breakpoints.find((one) => one.id === id)
    const recorded = places.get(id)
    const hits = stop.hits.get(id)
    if (model === undefined || recorded === undefined || hits === undefined || !history.unchanged.has(id)) continue
    const isPlain =
      recorded.place.kind === "line" || recorded.place.kind === "function" || recorded.place.kind === "special"
    const stops = history.stops.filter((one) => one.stop < stop.stop)
    if (isPlain && isCounted(model) && !mayBePassed(recorded.model, before, stops))
      return { kind: "hit", breakpoint: recorded, hits }
  }
  return undefined
}

/** True if a step stops by a count of hits of which some were before its base, in a part of the run that is not repeated. */
const countsFromEarlier = (steps: ReadonlyArray<Step>, at: PastStop, { resumptions }: RunHistory): boolean => {
  const earlier = resumptions.filter(({ left }) => left < at.stop).flatMap(({ breakpoints }) => breakpoints)
  const wereSet = new Set(earlier.map(({ id }) => id))
  return steps.some(({ resumption }) =>
    resumption.breakpoints.some(
      ({ enabled, hits_wanted: hits, id, kind }) => enabled && kind !== "watch" && hits !== undefined && wereSet.has(id)
    )
  )
}

/** Returns the plan to get to a stop; undefined if a stop on the way is not known. */
export const to = (
  target: PastStop,
  history: RunHistory,
  recorded: ReadonlyArray<RecordedBreakpoint>,
  stopOnEntry: boolean
): ReplayPlan | undefined => {
  const places = new Map(recorded.map((one) => [one.model.id, one]))
  const upTo = history.stops.filter(({ stop }) => stop <= target.stop)
  const stepsFrom = (left: number): ReadonlyArray<Step> | undefined => {
    const steps: Array<Step> = []
    for (const stop of upTo.filter((one) => one.stop > left)) {
      const resumption = history.resumptions.findLast((one) => one.left === stop.stop - 1)
      if (resumption === undefined) return undefined
      steps.push({ resumption, to: stop })
    }
    return steps.length === target.stop - left ? steps : undefined
  }
  for (const at of upTo.toReversed()) {
    const base = baseOf(at, history, places)
    const steps = base === undefined ? undefined : stepsFrom(at.stop)
    if (base === undefined || steps === undefined || countsFromEarlier(steps, at, history)) continue
    return { base, at, steps, target }
  }
  // A session that stopped at the first instruction is there at once.
  const [first] = upTo
  const left = stopOnEntry && first?.stop === history.before + 1 ? first.stop : history.before
  const steps = stepsFrom(left)
  if (steps === undefined) return undefined
  return { base: { kind: "entry" }, ...(left === first?.stop ? { at: first } : {}), steps, target }
}
