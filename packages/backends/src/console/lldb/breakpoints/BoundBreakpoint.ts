/**
 * A breakpoint that LLDB has set, the locations that stay and the companions that take the place of others.
 */
import type { Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as EntrySurvey from "./EntrySurvey.ts"
import type * as PassCounts from "./PassCounts.ts"

/** Where a breakpoint is. */
export interface Binding {
  readonly locations: ReadonlyArray<Backend.BreakpointLocation>
  /** LLDB counts the hits of the locations separately, so the manager has to count them. */
  readonly split: boolean
  /** A companion takes the place of a location; LLDB writes no log message there. */
  readonly moved: boolean
  /** Why LLDB computes the condition wrongly at one of the locations. It does not stop there then. */
  readonly refused?: string
  /** LLDB does not evaluate the condition, or a weaker one, so the manager has to evaluate it. */
  readonly uncompiled: boolean
}

/** A breakpoint that takes the place of a location. `id` is LLDB's number. */
interface Companion {
  readonly id: number
  readonly location: Backend.BreakpointLocation
}

/** A breakpoint of LLDB, and what was done about its locations. */
export interface Bound extends PassCounts.Counted, EntrySurvey.Examined {
  options: string
  /** Why the condition cannot be evaluated. */
  refused?: string | undefined
  /** LLDB cannot evaluate the condition or an expression of the message. */
  uncompiled: boolean
  /** True if LLDB's Python evaluates the condition first. */
  isFiltered: boolean
  /** Locations that stay, by LLDB's number. */
  readonly kept: Map<string, Parse.BreakpointLocation>
  /** Companions by module and address in the file. */
  readonly companions: Map<string, Companion>
}

/** Returns a breakpoint about whose locations nothing is decided yet. `debuggerId` is LLDB's number. */
export const fresh = (wanted: Backend.BreakpointRequest, debuggerId: number): Bound => ({
  wanted,
  debuggerId,
  options: conditionsOf(wanted),
  examined: new Set(),
  loaded: new Map(),
  kept: new Map(),
  companions: new Map(),
  uncompiled: false,
  isFiltered: false
})

/** Returns a breakpoint that stays at its only location. */
export const settled = (
  wanted: Backend.BreakpointRequest,
  debuggerId: number,
  location: Parse.BreakpointLocation
): Bound => {
  const one = fresh(wanted, debuggerId)
  one.examined.add(EntrySurvey.keyOf(location))
  if (location.loaded) one.loaded.set(location.number, true)
  one.kept.set(location.number, location)
  return one
}

/** Text that is equal for two requests with the same condition and count. */
export const conditionsOf = ({ condition, hits }: Backend.BreakpointRequest): string =>
  JSON.stringify([condition, hits])

const placeOf = ({
  address,
  loaded: _,
  number: __,
  ...place
}: Parse.BreakpointLocation): Backend.BreakpointLocation => ({
  ...place,
  address: `0x${address.toString(16)}`
})

/** Returns where a breakpoint is. */
export const bindingOf = ({ companions, kept, refused, uncompiled }: Bound): Binding => {
  const parts = companions.size + (kept.size > 0 ? 1 : 0)
  return {
    locations: [
      ...[...kept.values()].filter(({ loaded }) => loaded).map(placeOf),
      ...[...companions.values()].map(({ location }) => location)
    ],
    split: parts > 1,
    moved: companions.size > 0,
    uncompiled,
    ...(refused === undefined ? {} : { refused })
  }
}

/** Returns what LLDB cannot do for a breakpoint at its locations. */
export const unsupportedOf = ({ moved, split, uncompiled }: Binding): NonNullable<Backend.Placement["unsupported"]> => [
  ...(split || uncompiled ? (["hits"] as const) : []),
  ...(moved || uncompiled ? (["log"] as const) : []),
  ...(uncompiled ? (["condition"] as const) : [])
]

/** LLDB's numbers of a breakpoint and its companions. */
export const numbersOf = ({ companions, debuggerId }: Bound): ReadonlyArray<number> => [
  debuggerId,
  ...[...companions.values()].map(({ id }) => id)
]

/** Returns where a breakpoint is, for the caller. */
export const placementOf = (one: Bound): Backend.Placement => {
  const binding = bindingOf(one)
  const { locations, refused } = binding
  const unsupported = unsupportedOf(binding)
  return {
    id: one.wanted.id,
    resolved: locations.length > 0 && refused === undefined,
    locations,
    ...(refused === undefined ? {} : { reason: refused }),
    ...(unsupported.length > 0 ? { unsupported } : {})
  }
}
