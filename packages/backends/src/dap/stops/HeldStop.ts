/**
 * The first stop of a session that takes over a held program. The debugger sees only the signal that stopped the program. Why the
 * run held it is known, and replaces the signal as the reason.
 */
import type { Backend, ProgramRuns } from "@sigtrap/manager"
import type { Event } from "@sigtrap/protocol"

type Stopped = Extract<Event.Event, { readonly _tag: "Stopped" }>

const corrected = (event: Stopped, { cause, code }: ProgramRuns.Held): Stopped => {
  const { description: _, signal: __, ...rest } = event
  switch (cause) {
    case "signal":
      return event.reason === "entry" ? { ...event, reason: "signal" } : event
    case "exit":
      return { ...rest, reason: "other", raw_reason: "exit", description: `exits with code ${code ?? "unknown"}` }
    case "breakpoint":
      // A panic, and an error that a test returned, are recognized by the stack.
      return { ...rest, reason: "breakpoint", raw_reason: "breakpoint" }
    case "pause":
      return { ...rest, reason: "pause", raw_reason: "pause" }
  }
}

/** Returns a listener that gets the first stop with the cause for which the program was held. */
export const withCause = (held: ProgramRuns.Held, listener: Backend.Listener): Backend.Listener => {
  let isFirst = true
  return {
    ...listener,
    emit: (event) => {
      if (event._tag !== "Stopped" || !isFirst) return listener.emit(event)
      isFirst = false
      listener.emit(corrected(event, held))
    }
  }
}
