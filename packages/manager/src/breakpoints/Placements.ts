/**
 * Sends breakpoint lists to the debugger and records where the debugger placed them.
 *
 * A debugger takes the breakpoints of one source file, and those of each other kind, as a whole list (DAP
 * `setBreakpoints`). So a change sends the list of its group again, unless the debugger can add single breakpoints.
 */
import { type Breakpoint, type Event, Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection, Failure, Group, LaunchRequest, Placement } from "../ports/Backend.ts"
import { groupKey, toBreakpointRequest } from "../model/BreakpointPlace.ts"
import type { Secrets } from "../model/secrets/Secrets.ts"
import * as SourceMap from "../model/sources/SourceMap.ts"
import type { Entries } from "./Entries.ts"
import * as Entry from "./Entry.ts"

/** Dependencies of placements. */
export interface Options {
  readonly entries: Entries
  readonly secrets: Secrets
  readonly sourceMap: LaunchRequest["sourceMap"]
  /** True if the policy of the session forbids to run code of the program. */
  readonly forbidsCode: boolean
  readonly emit: (event: Event.Event) => void
}

/** The placements of one session's breakpoints. */
export interface Placements {
  /** Sends the lists that contain these breakpoints. */
  readonly send: (connection: Connection, changed: ReadonlyArray<Entry.Entry>) => Effect.Effect<void, Failure>
  /** Sends new breakpoints: alone if the debugger can add them to a list, otherwise their lists. */
  readonly sendNew: (connection: Connection, added: ReadonlyArray<Entry.Entry>) => Effect.Effect<void, Failure>
  /** Sends empty lists. */
  readonly clear: (connection: Connection) => Effect.Effect<void, Failure>
  /** Records where the debugger placed a breakpoint, and emits an event if it moved. */
  readonly record: (placement: Placement) => void
  /** Emits a change of a breakpoint, unless the breakpoint is internal. */
  readonly announce: (change: "set" | "moved" | "removed", breakpoint: Breakpoint.Breakpoint) => void
}

const groupsOf = (entries: ReadonlyArray<Entry.Entry>): ReadonlyArray<Group> => [
  ...new Map(entries.map(({ group }) => [groupKey(group), group])).values()
]

/** True if a debugger can run code of the program for the condition or the message of a breakpoint, which `evaluate` refuses. */
const mayRunCode = (
  { propertiesRunCode = false, refusesCode = false }: Connection,
  { condition, log }: Breakpoint.Breakpoint
): boolean =>
  [condition ?? [], Expression.inMessage(log ?? "")]
    .flat()
    .some((one) => refusesCode || (propertiesRunCode && !Expression.onlyComparesIdentity(one)))

/** Makes the placements of one session. */
export const make = ({ emit, entries, forbidsCode, secrets, sourceMap }: Options): Placements => {
  const announce: Placements["announce"] = (change, breakpoint) => {
    if (breakpoint.id > 0) emit({ _tag: "BreakpointChanged", change, breakpoint })
  }

  const record = (placement: Placement) => {
    const entry = entries.get(placement.id)
    if (entry === undefined) return
    if (placement.unsupported !== undefined) entry.unsupported = placement.unsupported
    if (placement.near !== undefined) entry.near = placement.near
    const locations = placement.locations.map((location) => SourceMap.placed(sourceMap, location))
    const model = Entry.atPlacement(entry.model, { ...placement, locations })
    const by = Entry.isManaged(entry) ? "manager" : model.by === "manager" ? "adapter" : model.by
    const unmoved = Entry.samePlaces(model, entry.model)
    const rebound = entry.model.resolved !== model.resolved || entry.model.resolved
    entry.model = { ...(unmoved ? entry.model : model), by }
    if (entry.announced && rebound && !unmoved) announce("moved", entry.model)
  }

  const requestOf = (connection: Connection) => (entry: Entry.Entry) => {
    entry.onlyReads = forbidsCode && entry.id > 0 && mayRunCode(connection, entry.model)
    return toBreakpointRequest(entry, secrets, Entry.keepsLog(entry))
  }

  const sendGroup = Effect.fnUntraced(function* (connection: Connection, group: Group) {
    const enabled = entries.inGroup(group).filter(({ model }) => model.enabled)
    for (const entry of enabled) entry.isRemoved = Entry.isSpent(entry)
    const list = enabled.filter(({ isRemoved }) => isRemoved !== true)
    const placements = yield* connection.setBreakpoints(group, list.map(requestOf(connection)))
    for (const placement of placements) record(placement)
  })

  /** Adds breakpoints of one group. Returns false if the whole list has to be sent. */
  const addToGroup = Effect.fnUntraced(function* (
    connection: Connection,
    group: Group,
    added: ReadonlyArray<Entry.Entry>
  ) {
    if (connection.addBreakpoints === undefined) return false
    const requests = added.map(requestOf(connection))
    const placements = yield* connection.addBreakpoints(group, requests, entries.countIn(group) - added.length)
    for (const placement of placements ?? []) record(placement)
    return placements !== undefined
  })

  const sendGroups = (connection: Connection, changed: ReadonlyArray<Entry.Entry>) =>
    Effect.forEach(groupsOf(changed), (group) => sendGroup(connection, group), { discard: true })

  /** Lets the manager write the messages of all logpoints if it writes those of one. */
  const keepOrder = (connection: Connection) =>
    Effect.suspend(() => {
      const logpoints = entries.all().filter(({ model }) => model.enabled && model.log !== undefined)
      const others = logpoints.filter((entry) => !Entry.isManaged(entry))
      if (others.length === 0 || others.length === logpoints.length) return Effect.void
      for (const entry of others) entry.keepsMessages = true
      return sendGroups(connection, others)
    })

  const sendNew = (connection: Connection, added: ReadonlyArray<Entry.Entry>) =>
    Effect.forEach(
      groupsOf(added),
      (group) => {
        const key = groupKey(group)
        const own = added.filter((entry) => groupKey(entry.group) === key)
        return Effect.flatMap(addToGroup(connection, group, own), (isAdded) =>
          isAdded ? Effect.void : sendGroup(connection, group)
        )
      },
      { discard: true }
    )

  return {
    send: (connection, changed) => Effect.andThen(sendGroups(connection, changed), keepOrder(connection)),
    sendNew: (connection, added) => Effect.andThen(sendNew(connection, added), keepOrder(connection)),
    clear: (connection) =>
      Effect.forEach(groupsOf(entries.all()), (group) => connection.setBreakpoints(group, []), { discard: true }),
    record,
    announce
  }
}
