/**
 * The effects of a session's events: hit counts, past stops, the record of the end, the end itself.
 */
import { type Event, Session as Model, type Snapshot } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as Registry from "../breakpoints/Registry.ts"
import type { Connection } from "../ports/Backend.ts"
import type { Activity } from "./callers/Activity.ts"
import type * as CurrentStop from "./stops/CurrentStop.ts"
import type * as EventLog from "./events/EventLog.ts"
import type * as Lifetime from "./Lifetime.ts"
import type * as OwnedProcesses from "./OwnedProcesses.ts"
import type { PastStops } from "./stops/PastStops.ts"
import type * as Records from "./records/Records.ts"
import type * as StopFilter from "./stops/StopFilter.ts"
import type { Watches } from "./stops/Watches.ts"

/** The parts of a session that events have effects on. */
export interface Observers {
  readonly activity: Activity
  readonly breakpoints: Registry.Registry
  readonly filter: StopFilter.StopFilter
  readonly intent: Records.Past["intent"]
  readonly lifetime: Lifetime.Lifetime
  readonly log: EventLog.EventLog
  readonly ownership: OwnedProcesses.OwnedProcesses
  readonly past: PastStops
  readonly stop: CurrentStop.CurrentStop
  /** Begins to read what the report of a stop shows. */
  readonly readAhead: NonNullable<Connection["readAhead"]>
}

/** Counts the hits of a stop. Returns its event with the hit counts of its breakpoints. */
export const counted = (
  { breakpoints, filter }: Pick<Observers, "breakpoints" | "filter">,
  event: Event.Event,
  after: Snapshot.Snapshot,
  before: Snapshot.Snapshot
): Event.Event => {
  if (event._tag !== "Stopped" || after === before) return event
  const at = { stop: after.stop, ...(event.thread === undefined ? {} : { thread: event.thread }) }
  breakpoints.hit(filter.newHits(), at)
  const counts = countsOf(breakpoints)
  const known = event.breakpoints.flatMap((id) => counts.get(id) ?? [])
  return known.length === 0 || known.length < event.breakpoints.length ? event : { ...event, hit_counts: known }
}

const countsOf = (breakpoints: Registry.Registry): ReadonlyMap<number, number> =>
  new Map(breakpoints.list().map(({ hit_count, id }) => [id, hit_count]))

/** Handles the effects of an event: records the stop and the program's process, leaves the stop, ends the session. */
export const observe = (
  { activity, breakpoints, intent, lifetime, log, ownership, past, readAhead, stop }: Observers,
  event: Event.Event,
  after: Snapshot.Snapshot,
  before: Snapshot.Snapshot
) => {
  if (event._tag === "Stopped" && after.stop !== before.stop) {
    if (event.thread !== undefined) readAhead(event.thread, event.reason)
    stop.reached()
  }
  past.record(event, after, before, { time: log.latest, seq: log.journal.next - 1 }, () => countsOf(breakpoints))
  if (event._tag === "Process" || (event._tag === "Forked" && event.followed))
    lifetime.fork(ownership.announce("debuggee", event.pid))
  if (after.state !== "stopped") {
    stop.leave()
    if (before.state === "stopped") activity.leave()
  }
  if (!Model.isLive(after.state) && after.state !== "none") {
    if (Model.isLive(before.state)) recordEnd(intent, after)
    lifetime.end()
  }
}

/** Records the end of the program. A program that was detached cannot be recovered. */
const recordEnd = (intent: Records.Past["intent"], { exit_code, signal, state }: Snapshot.Snapshot) => {
  if (state === "detached") return intent.remove()
  if (state !== "lost") intent.ended(signal ?? (exit_code === undefined ? state : `exit ${exit_code}`))
}

/** Removes the watchpoint that ends at an internal breakpoint. Returns the description of the stop. */
export const endWatch = (
  id: number,
  { breakpoints, lifetime, watches }: Pick<Observers, "breakpoints" | "lifetime"> & { readonly watches: Watches }
): string | undefined => {
  const ended = watches.ended(id)
  if (ended === undefined) return undefined
  lifetime.fork(Effect.ignore(breakpoints.remove([ended.id, id])))
  return ended.text
}
