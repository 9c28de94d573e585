/**
 * The breakpoints that a stop names: without the internal ones and that of `until`, and with those that the debugger would pass.
 */
import type { Event } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Registry } from "../../breakpoints/Registry.ts"
import type { Connection } from "../../ports/Backend.ts"
import type { BreakpointChanges } from "./BreakpointChanges.ts"

/** A stop as a debugger reports it. */
export type Stopped = Extract<Event.Event, { readonly _tag: "Stopped" }>

/** A stop of one thread, with those of its breakpoints that are new hits. */
export interface Reported {
  readonly event: Stopped
  readonly hits: ReadonlyArray<number>
  /** Those that are new hits only if the thread has run. */
  readonly doubtful: ReadonlyArray<number>
}

/** A stop with the breakpoints at its address that the debugger would pass, without writing their messages. */
interface Arrived extends Reported {
  readonly due: ReadonlyArray<number>
  /** True if only breakpoints that do not stop the program, as by their conditions, caused the stop. */
  readonly isPassed: boolean
}

/** Dependencies of the correction of a stop's breakpoints. */
export interface Options {
  readonly breakpoints: Registry
  readonly changes: BreakpointChanges
  /** Handles the hit of an internal breakpoint and returns the description of its stop, if it has one. */
  readonly internalHit: (id: number) => string | undefined
}

/** Removes internal breakpoints from a stop and gives it their description. */
const withoutInternal = (event: Stopped, { internalHit }: Options): Stopped => {
  const internal = event.breakpoints.filter((id) => id < 0)
  if (internal.length === 0) return event
  const description = internal.map(internalHit).find((found) => found !== undefined)
  const breakpoints = event.breakpoints.filter((id) => id > 0)
  const reason = description === undefined ? ("until" as const) : ("watchpoint" as const)
  return {
    ...event,
    breakpoints,
    ...(breakpoints.length === 0 ? { reason } : {}),
    ...(description === undefined ? {} : { description })
  }
}

/** Gives the stop at the breakpoint of `until` this reason. Beside others, that breakpoint is left out. */
const atUntil = (event: Stopped, { breakpoints }: Options): Stopped => {
  if (event.reason !== "breakpoint" || !event.breakpoints.some(breakpoints.isForUntil)) return event
  const others = event.breakpoints.filter((id) => !breakpoints.isForUntil(id))
  return others.length === 0 ? { ...event, reason: "until" } : { ...event, breakpoints: others }
}

/** Returns a stop with the breakpoints that a user knows. */
export const listed = (event: Stopped, options: Options): Stopped => atUntil(withoutInternal(event, options), options)

/** Returns a stop of which only these breakpoints stopped the program. That of `until` is left out beside others. */
export const stoppedBy = (event: Stopped, ids: ReadonlyArray<number>, { breakpoints }: Options): Stopped => {
  const isOther = event.reason === "watchpoint" && !ids.some(breakpoints.isWatch)
  const isAtBreakpoint = isOther || event.reason === "breakpoint" || event.reason === "until"
  if (ids.length === 0 || !isAtBreakpoint) return { ...event, breakpoints: ids }
  const others = ids.filter((id) => !breakpoints.isForUntil(id))
  return others.length === 0
    ? { ...event, breakpoints: ids, reason: "until" }
    : { ...event, breakpoints: others, reason: "breakpoint" }
}

/** Returns a stop that a change of breakpoints caused as one at a breakpoint that is not known yet. */
const atBreakpoint = ({ description: _, signal: __, ...event }: Stopped): Stopped => ({
  ...event,
  reason: "breakpoint",
  breakpoints: []
})

/**
 * Adds the breakpoints at the address where a watchpoint stopped a thread, which the debugger would pass, and those whose trap instruction
 * the debugger took for one of the program.
 */
export const withDue = Effect.fnUntraced(function* (live: Connection, reported: Reported, options: Options) {
  const { breakpoints } = options
  const { doubtful, event: named, hits } = reported
  const { thread } = named
  const none: Arrived = { event: named, hits, doubtful, due: [], isPassed: false }
  if (thread === undefined) return none
  const atSignal = options.changes.mayCause(named)
    ? yield* live.breakpointsAtSignal?.(thread) ?? Effect.undefined
    : undefined
  const event = atSignal === undefined ? named : atBreakpoint(named)
  const passed = hits.some(breakpoints.isWatch) ? yield* live.dueBreakpoints?.(thread) ?? Effect.succeed([]) : []
  const due = (atSignal ?? passed).filter((id) => !event.breakpoints.includes(id))
  if (due.length === 0) return { ...none, event, isPassed: atSignal !== undefined }
  const arrived: Arrived = {
    event: withoutInternal({ ...event, breakpoints: [...event.breakpoints, ...due] }, options),
    hits: [...hits, ...due.filter((id) => id > 0 && !breakpoints.isWrittenByDebugger(id))],
    doubtful,
    due,
    isPassed: false
  }
  return arrived
})
