/**
 * The address whose access caused the signal of a stop, as the debugger reported it.
 */
import type { EventLine, Snapshot } from "../connection/Answers.ts"

/** Returns the fault address of a stop: of the newest one from the state, of an earlier one from its event; undefined if none is known. */
export const faultAddressOf = (
  { stop: newest, stopped }: Pick<Snapshot, "stop" | "stopped">,
  events: ReadonlyArray<EventLine>,
  stop: number
): string | undefined => {
  const known = stop === newest ? stopped?.fault_address : undefined
  if (known !== undefined) return known
  for (const line of events) {
    const { event } = line
    if (line.stop === stop && event._tag === "Stopped" && event.fault_address !== undefined) return event.fault_address
  }
  return undefined
}

/** Returns a description without the brackets at its end that repeat an address which is shown beside it. */
export const withoutAddress = (description: string, address: string | undefined): string => {
  const from = description.lastIndexOf("(")
  const repeats = address !== undefined && description.endsWith(`${address})`) && from > 0
  return repeats ? description.slice(0, from).trimEnd() : description
}
