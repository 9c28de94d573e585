/**
 * The newest stop as its event says it, before the list of stops is read.
 */
import type { EventLine, PastStop, Snapshot } from "../connection/Answers.ts"

/** Returns the newest stop without its place and what changed; undefined if the program is not stopped. */
export const notedStop = (
  { state, stop, stopped }: Snapshot,
  events: ReadonlyArray<EventLine>
): PastStop | undefined => {
  if (state !== "stopped" || stopped === undefined) return undefined
  const last = events.findLast(({ event }) => event._tag === "Stopped")
  const resumed = events.findLast(({ event }) => event._tag === "Resumed")
  const { breakpoints, description, raw_reason, reason, signal } = stopped
  // The event of a stop does not say who paused the program.
  const cause =
    reason === "pause" || resumed?.event._tag !== "Resumed"
      ? {}
      : { command: resumed.event.command, ...(resumed.actor === undefined ? {} : { actor: resumed.actor }) }
  return {
    stop,
    time: last?.time ?? Date.now(),
    reason,
    raw_reason,
    ...(description === undefined ? {} : { description }),
    ...(signal === undefined ? {} : { signal }),
    hit_counts: last?.event._tag === "Stopped" ? (last.event.hit_counts ?? []) : [],
    breakpoints,
    changed: [],
    ...cause
  }
}
