/**
 * The breakpoints that a stop names: without the internal ones and that of `until`, and with those that the debugger would pass.
 */
import type { Event } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Registry } from "../breakpoints/Registry.ts"
import type { Connection } from "../ports/Backend.ts"

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
}

/** Dependencies. */
export interface Options {
  readonly breakpoints: Registry
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

/** Returns a stop of which only these breakpoints stopped the program. */
export const stoppedBy = (event: Stopped, ids: ReadonlyArray<number>, options: Options): Stopped => {
  const isOther = event.reason === "watchpoint" && ids.length > 0 && !ids.some(options.breakpoints.isWatch)
  return isOther
    ? atUntil({ ...event, breakpoints: ids, reason: "breakpoint" }, options)
    : { ...event, breakpoints: ids }
}

/** Adds the breakpoints at the address where a watchpoint stopped a thread, which the debugger would pass. */
export const withDue = Effect.fnUntraced(function* (
  live: Connection,
  { doubtful, event, hits }: Reported,
  options: Options
) {
  const { breakpoints } = options
  const none: Arrived = { event, hits, doubtful, due: [] }
  if (event.thread === undefined || live.dueBreakpoints === undefined || !hits.some(breakpoints.isWatch)) return none
  const due = (yield* live.dueBreakpoints(event.thread)).filter((id) => !event.breakpoints.includes(id))
  if (due.length === 0) return none
  const arrived: Arrived = {
    event: withoutInternal({ ...event, breakpoints: [...event.breakpoints, ...due] }, options),
    hits: [...hits, ...due.filter((id) => id > 0 && !breakpoints.isWrittenByDebugger(id))],
    doubtful,
    due
  }
  return arrived
})
