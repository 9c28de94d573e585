/**
 * Translates the event `breakpoint` (DAP), with which an adapter reports that it has placed or lost a breakpoint.
 */
import type { Events } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import type { Quirks } from "../../adapters/Quirks.ts"
import type { BreakpointIds } from "../../console/BreakpointIds.ts"
import { locationOf } from "./Locations.ts"

/** The parts of a connection that this module uses. */
interface Options {
  readonly listener: Pick<Backend.Listener, "placed">
  readonly ids: BreakpointIds
  readonly quirks: () => Pick<Quirks, "verifiesAtRun">
}

/** Reports a change of a breakpoint's placement to the listener. */
export const handle = (
  breakpoint: typeof Events.Breakpoint.body.Type.breakpoint,
  { ids, listener, quirks }: Options
): void => {
  if (breakpoint.id !== undefined) ids.forgetAnswer(breakpoint.id)
  const id = breakpoint.id === undefined ? undefined : ids.managerIdOf(breakpoint.id)
  if (id === undefined) return
  const { line, source, verified } = breakpoint
  const located =
    quirks().verifiesAtRun === true &&
    verified &&
    source?.path !== undefined &&
    line !== undefined &&
    ids.setLocation(id, source.path, line)
  // Adapters repeat their answers as events; only a change of `verified` or of the location is reported.
  if (!ids.setResolved(id, verified) && !located) return
  listener.placed({ id, resolved: verified, locations: verified ? [locationOf(breakpoint)] : [] })
}
