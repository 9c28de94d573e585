/**
 * One breakpoint of the registry: what was asked for, where it is, how often it was hit, and what of it is left to the
 * manager because the debugger does not do it.
 */
import { Count, type Breakpoint } from "@sigtrap/protocol"
import type { Group, Placement } from "../ports/Backend.ts"
import type { Behaviour, Place } from "../model/BreakpointPlace.ts"

/** Changes to the options of a breakpoint; `null` takes one away. */
export type Patch = { readonly [K in keyof Behaviour]?: Exclude<Behaviour[K], undefined> | null } & {
  readonly enabled?: boolean
  readonly condition?: string | null
  readonly hits?: string | null
  readonly log?: string | null
}

/** What to do about one hit of a managed breakpoint. */
export type Verdict = "stop" | "resume" | { readonly log: string } | { readonly evaluate: ReadonlyArray<string> }

/** Most hits whose circumstances are remembered. */
const remembered = 20

/** A breakpoint of the registry. */
export interface Entry {
  readonly id: number
  readonly place: Place
  readonly group: Group
  /** What the debugger does not do itself, as it says. */
  unsupported: ReadonlyArray<"hits" | "log">
  /** Whether anybody has heard of it yet. */
  announced: boolean
  model: Breakpoint.Breakpoint
  /** The newest hits, oldest first. */
  history: ReadonlyArray<Breakpoint.Hit>
}

/** A breakpoint as the debugger placed it. */
export const placed = (model: Breakpoint.Breakpoint, placement: Placement): Breakpoint.Breakpoint => {
  const { reason: _, ...rest } = model
  const asked = model.requested.line
  return {
    ...rest,
    by: placement.by ?? rest.by,
    locations: placement.locations,
    resolved: placement.resolved,
    moved:
      placement.resolved &&
      asked !== undefined &&
      placement.locations.length > 0 &&
      placement.locations.every((location) => location.line !== asked),
    ...(placement.reason === undefined ? {} : { reason: placement.reason })
  }
}

/** Whether a breakpoint is where it was. */
export const samePlaces = (a: Breakpoint.Breakpoint, b: Breakpoint.Breakpoint): boolean =>
  a.resolved === b.resolved && a.reason === b.reason && JSON.stringify(a.locations) === JSON.stringify(b.locations)

/** The count that was asked for. */
export const countOf = (model: Breakpoint.Breakpoint): Count.Counted | undefined =>
  model.hits_wanted === undefined ? undefined : Count.parse(model.hits_wanted)

/** Whether the manager counts. */
export const managesHits = ({ model, unsupported }: Entry): boolean => {
  const count = countOf(model)
  return count !== undefined && (count.how !== "from" || unsupported.includes("hits") || managesStops(model))
}

/** Whether the manager decides whom a stop concerns. */
const managesStops = (model: Breakpoint.Breakpoint): boolean =>
  model.thread !== undefined ||
  model.thread_name !== undefined ||
  model.continue === true ||
  model.on_condition_error === "continue"

/** Whether the manager writes the message. */
export const managesLog = (item: Entry): boolean =>
  item.model.log !== undefined && (managesHits(item) || managesStops(item.model) || item.unsupported.includes("log"))

/** Whether the manager decides over the stops of a breakpoint. */
export const isManaged = (item: Entry): boolean => managesHits(item) || managesLog(item) || managesStops(item.model)

const kept = <A>(change: A | null | undefined, before: A | undefined): A | undefined =>
  change === undefined ? before : (change ?? undefined)

const given = <K extends string, A>(key: K, value: A | undefined): { readonly [P in K]?: A } => {
  const found: { [P in K]?: A } = {}
  if (value !== undefined) found[key] = value
  return found
}

/** A breakpoint with some of its options changed. */
export const patched = (model: Breakpoint.Breakpoint, patch: Patch): Breakpoint.Breakpoint => {
  const { condition, hits_wanted, log, name, thread, thread_name, cmd, max, on_condition_error, ...others } = model
  const { continue: goesOn, eval: expressions, ...rest } = others
  return {
    ...rest,
    enabled: patch.enabled ?? rest.enabled,
    ...given("condition", kept(patch.condition, condition)),
    ...given("hits_wanted", kept(patch.hits, hits_wanted)),
    ...given("log", kept(patch.log, log)),
    ...given("name", kept(patch.name, name)),
    ...given("thread", kept(patch.thread, thread)),
    ...given("thread_name", kept(patch.thread_name, thread_name)),
    ...given("cmd", kept(patch.cmd, cmd)),
    ...given("eval", kept(patch.eval, expressions)),
    ...given("continue", kept(patch.continue, goesOn)),
    ...given("max", kept(patch.max, max)),
    ...given("on_condition_error", kept(patch.on_condition_error, on_condition_error))
  }
}

/** Counts one hit. */
export const hit = (item: Entry, at: Omit<Breakpoint.Hit, "hit">): void => {
  const count = countOf(item.model)
  // A debugger that counts itself is heard of only when its count is reached.
  const counted = count?.how === "from" && !isManaged(item) ? count.times : 0
  const number = Math.max(item.model.hit_count + 1, counted)
  item.model = { ...item.model, hit_count: number }
  item.history = [...item.history, { hit: number, ...at }].slice(-remembered)
}

/** What is to be done about the newest hit, which was counted. */
export const decide = (item: Entry): Verdict => {
  const { model } = item
  const count = countOf(model)
  if (count !== undefined && managesHits(item) && !Count.includes(count, model.hit_count)) return "resume"
  if (model.log !== undefined && managesLog(item)) return { log: model.log }
  return model.continue === true ? { evaluate: model.eval ?? [] } : "stop"
}

/** Whether a stop of a thread concerns a breakpoint. A name that is no regular expression is that name itself. */
export const concerns = ({ model }: Entry, thread: number | undefined, name: string | undefined): boolean => {
  if (model.thread !== undefined && model.thread !== thread) return false
  if (model.thread_name === undefined) return true
  try {
    return new RegExp(model.thread_name, "u").test(name ?? "")
  } catch {
    return name === model.thread_name
  }
}
