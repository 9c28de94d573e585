/**
 * The address whose access caused the signal of a stop, and the cause of the signal, as the debugger reported them.
 */
import type { EventLine, Snapshot } from "../../connection/Answers.ts"

/** What is known of the fault of a stop. */
interface Fault {
  readonly address?: string | undefined
  readonly cause?: string | undefined
}

/** Returns the fault of a stop: of the newest one from the state, of an earlier one from its events. */
export const faultOf = (
  { stop: newest, stopped }: Pick<Snapshot, "stop" | "stopped">,
  events: ReadonlyArray<EventLine>,
  stop: number
): Fault => {
  const told = events.flatMap(({ event, stop: of }) => (of === stop && event._tag === "Stopped" ? [event] : []))
  const all = stop === newest && stopped !== undefined ? [stopped, ...told] : told
  return {
    address: all.find((one) => one.fault_address !== undefined)?.fault_address,
    cause: all.find((one) => one.signal_cause !== undefined)?.signal_cause
  }
}
