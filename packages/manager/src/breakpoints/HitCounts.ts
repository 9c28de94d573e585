/**
 * Hit counts, hit history and the decisions that follow from them.
 */
import type { Breakpoint, Stop } from "@sigtrap/protocol"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Entries } from "./Entries.ts"
import * as Entry from "./Entry.ts"

/** The hits of one session's breakpoints. */
export interface HitCounts {
  /**
   * Returns these numbers and those of the enabled breakpoints at the same places, or at the address of the stop, which a
   * debugger may leave out of a stop.
   */
  readonly sharing: (ids: ReadonlyArray<number>, stop?: bigint) => ReadonlyArray<number>
  /** True if the debugger counts the hits of a breakpoint and stops from a number on. */
  readonly isCountedByDebugger: (id: number) => boolean
  /** Returns the condition of a breakpoint. */
  readonly conditionOf: (id: number) => string | undefined
  /** Returns the message of a logpoint. */
  readonly logOf: (id: number) => string | undefined
  /** True if the breakpoint is a watchpoint. */
  readonly isWatch: (id: number) => boolean
  /** True if `until` added the breakpoint. */
  readonly isForUntil: (id: number) => boolean
  /** True for a breakpoint of a user that was removed or disabled. */
  readonly isRemoved: (id: number) => boolean
  /** True if the manager evaluates the hit count, thread or log message of a breakpoint. */
  readonly isManaged: (id: number) => boolean
  /** True if the debugger writes the messages of a logpoint. A thread at its place does not stop the program. */
  readonly isWrittenByDebugger: (id: number) => boolean
  /** True if the manager evaluates the condition of a breakpoint. */
  readonly managesCondition: (id: number) => boolean
  /** True if the debugger may record the messages of a logpoint itself, without the manager's decision about each hit. */
  readonly isRecordable: (id: number) => boolean
  /** Returns how many messages a logpoint may still write. */
  readonly roomOf: (id: number) => number
  /** Counts one hit of each breakpoint. */
  readonly hit: (ids: ReadonlyArray<number>, at?: { readonly stop?: number; readonly thread?: number }) => void
  /** True if a breakpoint may stop the thread with this number and name. */
  readonly appliesToThread: (id: number, thread: number | undefined, name: string | undefined) => Effect.Effect<boolean>
  /** True if the program continues when the condition cannot be evaluated. */
  readonly continuesOnConditionError: (id: number) => boolean
  /** Returns what to do about the newest hit, which is already counted. */
  readonly decide: (id: number) => Entry.Verdict
  /** Records how often the program passed the place of a breakpoint. */
  readonly recordPasses: (id: number, count: number) => void
  /** Returns how often the program passed the place of a breakpoint; undefined if it is not known. */
  readonly passesOf: (id: number) => number | undefined
  /** Adds the values that were evaluated at the newest hit to its history. */
  readonly recordValues: (id: number, evaluations: ReadonlyArray<Stop.Evaluation>) => void
  /** Returns the newest hits, oldest first. */
  readonly history: (id: number) => ReadonlyArray<Breakpoint.Hit>
  /** Decrements `max` of each breakpoint and returns the numbers of those that reach zero. */
  readonly countDown: (ids: ReadonlyArray<number>) => ReadonlyArray<number>
  /** Sets all counts to zero and clears the history. */
  readonly reset: () => void
}

/** Messages of a logpoint without a limit. */
const mostMessages = 1_000_000_000

/** Makes the hit counts of one session. */
export const make = (entries: Entries, clock: Clock.Clock): HitCounts => ({
  managesCondition: (id) => {
    const entry = entries.get(id)
    return entry !== undefined && Entry.managesCondition(entry)
  },
  logOf: (id) => entries.get(id)?.model.log,
  isWatch: (id) => entries.get(id)?.place.kind === "watch",
  isForUntil: (id) => entries.get(id)?.forUntil === true,
  isRemoved: (id) => id > 0 && entries.get(id)?.model.enabled !== true,

  isManaged: (id) => {
    const entry = entries.get(id)
    return entry !== undefined && Entry.isManaged(entry)
  },

  isWrittenByDebugger: (id) => {
    const entry = entries.get(id)
    return entry?.model.log !== undefined && !Entry.isManaged(entry)
  },

  isRecordable: (id) => {
    const entry = entries.get(id)
    return entry !== undefined && Entry.isRecordable(entry)
  },

  roomOf: (id) => entries.get(id)?.model.max ?? mostMessages,

  sharing: (ids, stop) => entries.sharing(ids, stop),

  isCountedByDebugger: (id) => {
    const entry = entries.get(id)
    return entry?.model.hits_wanted !== undefined && !Entry.isManaged(entry)
  },

  conditionOf: (id) => entries.get(id)?.model.condition,

  hit: (ids, at = {}) => {
    for (const id of ids) {
      const entry = entries.get(id)
      if (entry !== undefined) Entry.hit(entry, { time: clock.currentTimeMillisUnsafe(), ...at })
    }
  },

  appliesToThread: (id, thread, name) => {
    const entry = entries.get(id)
    return entry === undefined ? Effect.succeed(false) : Entry.appliesToThread(entry, thread, name)
  },

  continuesOnConditionError: (id) => entries.get(id)?.model.on_condition_error === "continue",

  decide: (id) => {
    const entry = entries.get(id)
    return entry === undefined ? "resume" : Entry.decide(entry)
  },

  recordValues: (id, evaluations) => {
    const entry = entries.get(id)
    const newest = entry?.history.at(-1)
    if (entry === undefined || newest === undefined) return
    const values = Object.fromEntries(
      evaluations.map(({ error, expression, value }) => [expression, value ?? `<${error ?? ""}>`])
    )
    entry.history = [...entry.history.slice(0, -1), { ...newest, values }]
  },

  recordPasses: (id, count) => {
    const entry = entries.get(id)
    if (entry !== undefined) entry.passed = count
  },

  passesOf: (id) => entries.get(id)?.passed,

  history: (id) => entries.get(id)?.history ?? [],

  countDown: (ids) =>
    ids.filter((id) => {
      const entry = entries.get(id)
      if (entry?.model.max === undefined || !entry.model.enabled) return false
      const max = entry.model.max - 1
      entry.model = { ...entry.model, max }
      return max <= 0
    }),

  reset: () => {
    for (const entry of entries.all()) {
      entry.model = { ...entry.model, hit_count: 0 }
      entry.history = []
      delete entry.passed
    }
  }
})
