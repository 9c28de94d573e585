/**
 * Reads the values of watchpoints at stops, and finds changes that no watchpoint reported. A watchpoint does not see what the kernel
 * or another process writes. Some virtual machines accept watchpoints and report nothing at all.
 */
import type { Breakpoint, Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Registry } from "../../breakpoints/Registry.ts"
import * as Secrets from "../../model/secrets/Secrets.ts"
import type { Located, StopView } from "../values/StopView.ts"
import type { Moment, Reading, Watch, Watches } from "./Watches.ts"

/** The watchpoints of a session and its breakpoints. */
export interface Source {
  readonly watches: Watches
  readonly breakpoints: Pick<Registry, "list">
}

const breakpointOf = ({ breakpoints }: Source, { id }: Watch): Breakpoint.Breakpoint | undefined =>
  breakpoints.list().find((candidate) => candidate.id === id)

/** Returns the moment of a reading of a watchpoint at a stop. */
export const momentOf = (source: Source, view: StopView, watch: Watch): Moment => ({
  stop: view.stop,
  writes: view.writes,
  hits: breakpointOf(source, watch)?.hit_count ?? 0
})

/**
 * Reads the value of a watchpoint at a stop; undefined if it cannot be read. A secret is masked for every caller, since the value is
 * compared with those that others read.
 */
export const read = (source: Source, view: StopView, at: Located, watch: Watch): Effect.Effect<Reading> =>
  view.evaluate(watch.readExpression, at, "read").pipe(
    Effect.flatMap((found) => view.masked(watch.expression, found)),
    Effect.map((found) => found.value),
    Effect.provideService(Secrets.Reveal, false),
    Effect.orElseSucceed(() => undefined),
    Effect.map((value) => source.watches.read(watch.id, value, momentOf(source, view, watch)))
  )

/** Reads the values that were not read since the last write of a client at this stop, before a thread leaves it. */
export const leaving = (source: Source, view: StopView, thread: number): Effect.Effect<void> => {
  const unread = source.watches.all().filter(({ id }) => {
    const moment = source.watches.reading(id)?.moment
    return moment?.stop !== view.stop || moment.writes !== view.writes
  })
  if (unread.length === 0) return Effect.void
  return view.frame(thread, 0).pipe(
    Effect.flatMap((at) => Effect.forEach(unread, (watch) => read(source, view, at, watch), { discard: true })),
    Effect.ignore
  )
}

const endOf = ({ address, size = 1 }: Breakpoint.Breakpoint): bigint => BigInt(address ?? 0) + BigInt(size)

const overlaps = (one: Breakpoint.Breakpoint, other: Breakpoint.Breakpoint): boolean =>
  BigInt(one.address ?? 0) < endOf(other) && BigInt(other.address ?? 0) < endOf(one)

/** True if each write to the watched memory must be reported as a stop. */
const reportsEach = ({ access, condition, enabled, hits_wanted: hits }: Breakpoint.Breakpoint): boolean =>
  enabled && access !== "read" && condition === undefined && hits === undefined

/** Returns the changes since the program was resumed to this stop that no watchpoint reported. `hit` are the breakpoints of the stop. */
export const missed = (
  source: Source,
  view: StopView,
  at: Located,
  hit: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<Stop.WatchChange>> => {
  const reported = source.breakpoints.list().filter(({ id }) => hit.includes(id))
  const silent = source.watches.all().flatMap((watch) => {
    const breakpoint = breakpointOf(source, watch)
    if (breakpoint === undefined || !reportsEach(breakpoint)) return []
    return reported.some((one) => one.kind === "watch" && overlaps(one, breakpoint)) ? [] : [watch]
  })
  return Effect.map(
    Effect.forEach(silent, (watch) => Effect.map(read(source, view, at, watch), (reading) => ({ watch, reading }))),
    (all) =>
      all.flatMap(({ reading: { isQuiet, old, value }, watch: { address, expression, id } }) =>
        isQuiet && old !== undefined && value !== undefined && old !== value
          ? [{ id, expression, old, new: value, address }]
          : []
      )
  )
}
