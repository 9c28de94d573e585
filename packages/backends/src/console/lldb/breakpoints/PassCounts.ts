/**
 * How often the program passed the places of breakpoints with a count.
 *
 * LLDB counts the hits of a breakpoint without a condition. With a condition it counts the hits at which the condition held,
 * so its passes are unknown. A second breakpoint at the address would count them, but LLDB 19 then names every thread that is at
 * the address, also those for which the condition does not hold.
 */
import { Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** A breakpoint of LLDB. */
export interface Counted {
  readonly debuggerId: number
  readonly wanted: Backend.BreakpointRequest
  /** Breakpoints that take the place of its locations. */
  readonly companions: ReadonlyMap<string, { readonly id: number }>
}

/** How often the program passed the place of a breakpoint. */
export interface PassCount {
  readonly id: number
  readonly count: number
}

/** Returns a request for the passes of those breakpoints whose passes are known; undefined if there are none. */
export const read = (
  all: ReadonlyArray<Counted>,
  command: (line: string) => Effect.Effect<string, Backend.Failure>
): Effect.Effect<ReadonlyArray<PassCount>, Backend.Failure> | undefined => {
  const known = all.filter(({ wanted }) => wanted.condition === undefined && wanted.hits !== undefined)
  if (known.length === 0) return undefined
  return Effect.map(command("breakpoint list"), (text) => {
    const hits = Parse.breakpointHits(text)
    return known.map(({ companions, debuggerId, wanted }) => ({
      id: wanted.id,
      count: [debuggerId, ...[...companions.values()].map(({ id }) => id)].reduce(
        (sum, number) => sum + (hits.get(number) ?? 0),
        0
      )
    }))
  })
}
