/**
 * One breakpoint of the registry: the request, the location, the hits, and the options that the manager evaluates
 * because the debugger does not support them.
 */
import { HitCount, Expression, Pattern, type Breakpoint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Group, Placement } from "../ports/Backend.ts"
import { needsEachStop, type Behaviour, type Place } from "../model/BreakpointPlace.ts"

/** Changes to the options of a breakpoint. `null` removes an option. */
export type Patch = { readonly [K in keyof Behaviour]?: Exclude<Behaviour[K], undefined> | null } & {
  readonly enabled?: boolean
  readonly condition?: string | null
  readonly hits?: string | null
  readonly log?: string | null
}

/** What to do at one hit of a managed breakpoint. */
export type Verdict = "stop" | "resume" | { readonly log: string } | { readonly evaluate: ReadonlyArray<string> }

/** Maximum length of the hit history. */
const historyLength = 20

/** A breakpoint of the registry. */
export interface Entry {
  readonly id: number
  readonly place: Place
  readonly group: Group
  /** True if `until` added it; its stop has the reason `until`. */
  readonly forUntil: boolean
  /**
   * True if the manager writes the log messages although the debugger could: few are allowed, and the debugger would write more, or the
   * manager writes those of other logpoints, and the order would not be that of the hits.
   */
  keepsMessages: boolean
  /**
   * True if the policy of the session forbids to run code of the program, and the debugger would run it for an overloaded operator in a
   * condition or a message. The manager evaluates them, by reads only.
   */
  onlyReads: boolean
  /** Options that the debugger does not support. */
  unsupported: ReadonlyArray<"hits" | "log" | "condition">
  /** Names that the debugger resolves in place of the requested one. */
  near?: ReadonlyArray<string>
  /** True if the debugger does not have it any more, because it is spent. */
  isRemoved?: boolean
  /** True if an event has announced the breakpoint. */
  announced: boolean
  model: Breakpoint.Breakpoint
  /** Newest hits, oldest first. */
  history: ReadonlyArray<Breakpoint.Hit>
  /** How often the program passed the place, if the debugger counted that. */
  passed?: number
  /** The compiled `thread_name`, or undefined if it is not a regular expression. */
  threadName?: { readonly source: string; readonly pattern: Pattern.Pattern | undefined }
}

/** Returns the breakpoint at its placement. */
export const atPlacement = (model: Breakpoint.Breakpoint, placement: Placement): Breakpoint.Breakpoint => {
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

/** True if the location and resolution of a breakpoint are unchanged. */
export const samePlaces = (a: Breakpoint.Breakpoint, b: Breakpoint.Breakpoint): boolean =>
  a.resolved === b.resolved && a.reason === b.reason && JSON.stringify(a.locations) === JSON.stringify(b.locations)

/** Returns the requested hit count. */
const countOf = (model: Breakpoint.Breakpoint): HitCount.Parsed | undefined =>
  model.hits_wanted === undefined ? undefined : HitCount.parse(model.hits_wanted)

/** True if the manager evaluates the hit count. */
const managesHits = (item: Entry): boolean => {
  const count = countOf(item.model)
  return count !== undefined && (count.how !== "from" || item.unsupported.includes("hits") || needsEachStop(item))
}

/** The limit of messages from which on the debugger may write them, although it writes some more than allowed. */
const manyMessages = 1000

/** True if few log messages are allowed. */
export const isFew = (max: number | null | undefined): boolean => typeof max === "number" && max < manyMessages

/** True if a debugger does not get the log message, although it could write it: the manager decides about each hit. */
export const keepsLog = (item: Entry): boolean =>
  managesHits(item) || needsEachStop(item) || item.keepsMessages || item.onlyReads

/** True if the manager writes the log message. */
const managesLog = (item: Entry): boolean =>
  item.model.log !== undefined && (keepsLog(item) || item.unsupported.includes("log"))

/** True if the manager evaluates the condition. */
export const managesCondition = ({ model, onlyReads, unsupported }: Entry): boolean =>
  model.condition !== undefined && (onlyReads || unsupported.includes("condition"))

/**
 * True if the debugger may record the messages of a logpoint itself. A condition must only read, because it is evaluated twice: LLDB
 * also reports a hit whose condition cannot be evaluated.
 */
export const isRecordable = (item: Entry): boolean =>
  managesLog(item) &&
  !managesHits(item) &&
  !managesCondition(item) &&
  !needsEachStop(item) &&
  (item.model.condition === undefined || Expression.onlyReads(item.model.condition))

/**
 * True if a breakpoint has had its only hit: `==N` after hit N. It stays enabled and listed. The debugger need not have it any
 * more, since every further hit would be suppressed.
 */
export const isSpent = ({ model }: Entry): boolean => {
  const count = countOf(model)
  return count?.how === "==" && model.hit_count >= count.times
}

/** True if the manager decides about the stops of a breakpoint. */
export const isManaged = (item: Entry): boolean =>
  managesHits(item) || managesLog(item) || managesCondition(item) || needsEachStop(item)

const changed = <A>(change: A | null | undefined, before: A | undefined): A | undefined =>
  change === undefined ? before : (change ?? undefined)

const defined = <K extends string, A>(key: K, value: A | undefined): { readonly [P in K]?: A } => {
  const found: { [P in K]?: A } = {}
  if (value !== undefined) found[key] = value
  return found
}

/** Returns the breakpoint with changed options. */
export const patched = (model: Breakpoint.Breakpoint, patch: Patch): Breakpoint.Breakpoint => {
  const { condition, hits_wanted, log, name, thread, thread_name, cmd, max, on_condition_error, ...others } = model
  const { continue: continues, eval: expressions, ...rest } = others
  return {
    ...rest,
    enabled: patch.enabled ?? rest.enabled,
    ...defined("condition", changed(patch.condition, condition)),
    ...defined("hits_wanted", changed(patch.hits, hits_wanted)),
    ...defined("log", changed(patch.log, log)),
    ...defined("name", changed(patch.name, name)),
    ...defined("thread", changed(patch.thread, thread)),
    ...defined("thread_name", changed(patch.thread_name, thread_name)),
    ...defined("cmd", changed(patch.cmd, cmd)),
    ...defined("eval", changed(patch.eval, expressions)),
    ...defined("continue", changed(patch.continue, continues)),
    ...defined("max", changed(patch.max, max)),
    ...defined("on_condition_error", changed(patch.on_condition_error, on_condition_error))
  }
}

/** Counts one hit. */
export const hit = (item: Entry, at: Omit<Breakpoint.Hit, "hit">): void => {
  const count = countOf(item.model)
  // A debugger that counts hits itself reports only the hit that reaches the count.
  const isCounted =
    (count?.how === "from" && !isManaged(item)) ||
    (count?.how === "==" && !item.unsupported.includes("hits") && !needsEachStop(item))
  const counted = isCounted ? (count?.times ?? 0) : 0
  const number = Math.max(item.model.hit_count + 1, counted)
  item.model = { ...item.model, hit_count: number }
  item.history = [...item.history, { hit: number, ...at }].slice(-historyLength)
}

/** Returns what to do about the newest hit, which is already counted. */
export const decide = (item: Entry): Verdict => {
  const { model } = item
  const count = countOf(model)
  if (count !== undefined && managesHits(item) && !HitCount.includes(count, model.hit_count)) return "resume"
  if (model.log !== undefined && managesLog(item)) return { log: model.log }
  return model.continue === true ? { evaluate: model.eval ?? [] } : "stop"
}

/** True if a breakpoint applies to a thread. An invalid regular expression in `thread_name` is compared literally. */
export const appliesToThread = Effect.fnUntraced(function* (
  entry: Entry,
  thread: number | undefined,
  name: string | undefined
) {
  const { thread: wanted, thread_name: source } = entry.model
  if (wanted !== undefined && wanted !== thread) return false
  if (source === undefined) return true
  if (entry.threadName?.source !== source) {
    const pattern = yield* Effect.orElseSucceed(Pattern.compile(source), () => undefined)
    entry.threadName = { source, pattern }
  }
  return entry.threadName.pattern?.test(name ?? "") ?? name === source
})
