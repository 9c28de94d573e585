/**
 * The stop of a core file of a program that no signal ended, as far as the debugger knows. Delve names it an entry, and so does DAP for a
 * program that has just started.
 */
import type { Backend } from "@sigtrap/manager"

/** Returns a listener whose stops are those of a core file. */
export const named = (listener: Backend.Listener): Backend.Listener => ({
  ...listener,
  emit: (event) =>
    listener.emit(
      event._tag === "Stopped" && event.reason === "entry" ? { ...event, reason: "other", raw_reason: "core" } : event
    )
})
