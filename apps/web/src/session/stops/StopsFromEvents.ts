/**
 * The newest stops, made from their events until the page has read the list of stops.
 */
import type { EventLine, PastStop, Snapshot } from "../../connection/Answers.ts"
import { askedOf } from "../words/StopWords.ts"

/** A stop as its event says it; the state names what several events of the newest stop say together. */
const notedStop = (
  line: EventLine,
  resumed: EventLine | undefined,
  stopped: Snapshot["stopped"]
): PastStop | undefined => {
  const { event, stop, time } = line
  if (event._tag !== "Stopped") return undefined
  const { breakpoints, description, exception_type, raw_reason, reason, signal } = stopped ?? event
  // The event of a stop does not say who paused the program.
  const cause =
    reason === "pause" || resumed?.event._tag !== "Resumed"
      ? {}
      : { command: askedOf(resumed.event), ...(resumed.actor === undefined ? {} : { actor: resumed.actor }) }
  return {
    stop,
    time,
    reason,
    raw_reason,
    ...(description === undefined ? {} : { description }),
    ...(signal === undefined ? {} : { signal }),
    ...(exception_type === undefined ? {} : { exception_type }),
    hit_counts: event.hit_counts ?? [],
    breakpoints,
    changed: [],
    ...cause
  }
}

/** Returns the stops after a number, in order, without their places and what changed. */
export const notedStops = (
  { stop: newest, stopped }: Snapshot,
  events: ReadonlyArray<EventLine>,
  after: number
): ReadonlyArray<PastStop> => {
  const found = new Map<number, PastStop>()
  let resumed: EventLine | undefined
  for (const line of events) {
    if (line.event._tag === "Resumed") resumed = line
    if (line.event._tag !== "Stopped" || line.stop <= after || found.has(line.stop)) continue
    const noted = notedStop(line, resumed, line.stop === newest ? stopped : undefined)
    if (noted !== undefined) found.set(line.stop, noted)
  }
  return [...found.values()]
}
