/**
 * The breakpoints of one session: the manager's numbers, the requests, the locations, the hits.
 *
 * Breakpoints are identified by the manager's numbers, not by the adapter's. Edits run one at a time. A new breakpoint
 * without a location is removed again before the caller is answered. The manager evaluates the options that the adapter
 * does not support: such a breakpoint is `managed`, and `decide` returns at each hit whether the stop is reported.
 * Internal breakpoints have negative numbers and are never listed.
 */
import { Errors, Span, type Breakpoint, type Event } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Connection, Failure, LaunchRequest, Placement } from "../ports/Backend.ts"
import type { RecordedBreakpoint } from "../ports/Intent.ts"
import { groupOf, samePlace, type Place, type Request } from "../model/BreakpointPlace.ts"
import * as Policy from "../model/permissions/Policy.ts"
import type { Secrets } from "../model/secrets/Secrets.ts"
import * as Edits from "./Edits.ts"
import * as JointEdits from "./JointEdits.ts"
import * as Entry from "./Entry.ts"
import { Entries, type Selection } from "./Entries.ts"
import type { Patch } from "./Entry.ts"
import * as HitCounts from "./HitCounts.ts"
import * as Placements from "./Placements.ts"

export type { Patch } from "./Entry.ts"
export type { Request } from "../model/BreakpointPlace.ts"

/** The session that a registry belongs to: its debugger, and its event log. */
interface Owner {
  readonly connection: Effect.Effect<Connection, Failure>
  readonly emit: (event: Event.Event) => void
  /** Called after each edit, before its caller is answered. */
  readonly edited: () => void
  /** Fails while breakpoints must not be edited. */
  readonly editable: Effect.Effect<void, Failure>
  /** Fails if nothing can stop the program, as in a core file. */
  readonly settable: Effect.Effect<void, Failure>
}

/** Dependencies of a registry. */
export interface Options {
  readonly secrets: Secrets
  readonly policy: Policy.Policy
  readonly sourceMap: LaunchRequest["sourceMap"]
}

/** Failures of adding breakpoints. */
type AddFailure = Failure | Errors.BreakpointUnresolved | Errors.Policy

/** The registry of one session. */
export interface Registry extends Omit<HitCounts.HitCounts, "countDown" | "reset"> {
  /** Assigns the registry to a session. A restart assigns it to the new one. */
  readonly assign: (owner: Owner) => void
  /** Adds a breakpoint. An existing one at that place is returned with the options that differ. */
  readonly add: (request: Request) => Effect.Effect<Breakpoint.Breakpoint, AddFailure>
  /** Adds several breakpoints and sends each list once. Removes all new ones again if one has no location. */
  readonly addAll: (requests: ReadonlyArray<Request>) => Effect.Effect<ReadonlyArray<Breakpoint.Breakpoint>, AddFailure>
  /** Adds an internal breakpoint, which is never listed, and returns its number. */
  readonly addInternal: (request: Request) => Effect.Effect<number, Failure | Errors.BreakpointUnresolved>
  /** Removes breakpoints and returns them. Removes none if one number is unknown. */
  readonly remove: (
    ids: Selection
  ) => Effect.Effect<ReadonlyArray<Breakpoint.Breakpoint>, Failure | Errors.BreakpointNotFound>
  /** Changes options of breakpoints. Fails without a change if one number is unknown. Keeps numbers, places and hit counts. */
  readonly change: (
    ids: Selection,
    patch: Patch
  ) => Effect.Effect<ReadonlyArray<Breakpoint.Breakpoint>, Failure | Errors.BreakpointNotFound | Errors.Policy>
  readonly find: (id: number) => Effect.Effect<Breakpoint.Breakpoint, Errors.BreakpointNotFound>
  readonly list: () => ReadonlyArray<Breakpoint.Breakpoint>
  /** Returns the numbers of the breakpoints that were requested at a place or are located there. */
  readonly at: (place: Place) => ReadonlyArray<number>
  /** Decrements `max` of each breakpoint and disables those that reach zero. */
  readonly countDown: (
    ids: ReadonlyArray<number>
  ) => Effect.Effect<void, Failure | Errors.BreakpointNotFound | Errors.Policy>
  /** Records a placement that the adapter reported on its own. */
  readonly recordPlacement: (placement: Placement) => void
  /** Asks the debugger again where pending patterns and functions are, because a library may have been loaded since. */
  readonly refresh: Effect.Effect<void, Failure>
  /** Removes breakpoints from the debugger that cannot stop the program any more: `==N` after hit N. */
  readonly removeSpent: Effect.Effect<void, Failure>
  /** Returns the listed breakpoints with their places, as they are recorded. */
  readonly recorded: () => ReadonlyArray<RecordedBreakpoint>
  /** Yields the same without a copy: an item changes with its breakpoint. */
  readonly current: () => Iterable<RecordedBreakpoint>
  /** Returns the highest number so far. */
  readonly last: () => number
  /** Replaces all breakpoints by recorded ones, without sending them. `last` is the highest number so far. */
  readonly adopt: (recorded: ReadonlyArray<RecordedBreakpoint>, last: number) => void
  /** Removes every breakpoint from the debugger. The registry keeps them. */
  readonly clear: Effect.Effect<void, Failure>
  /** Sets every breakpoint in a restarted program with a count of zero. Removes watchpoints, whose memory is gone. */
  readonly restore: Effect.Effect<void, Failure>
  /** Sets every breakpoint, with its count. Watchpoints are removed and returned, since their memory is gone. */
  readonly recover: Effect.Effect<ReadonlyArray<RecordedBreakpoint>, Failure>
  /** Adds a breakpoint with the number, label and count of a removed one. */
  readonly addAgain: (
    request: Request,
    before: Breakpoint.Breakpoint
  ) => Effect.Effect<Breakpoint.Breakpoint, Failure | Errors.BreakpointUnresolved>
}

/** Returns the entry of a recorded breakpoint. */
const adopted = ({ model, place }: RecordedBreakpoint): Entry.Entry => ({
  id: model.id,
  place,
  group: groupOf(place),
  forUntil: false,
  keepsMessages: Entry.isFew(model.max),
  onlyReads: false,
  unsupported: [],
  announced: true,
  history: [],
  model
})

/** The owner of a registry that belongs to no session yet. */
const nobody: Owner = {
  connection: Effect.suspend(() => Effect.fail(new Errors.NotRunning({}))),
  emit: () => undefined,
  edited: () => undefined,
  editable: Effect.void,
  settable: Effect.void
}

/** Returns what fails for breakpoints that a policy forbids under the debugger of the session, or under its last one. */
const permitOf = (policy: Policy.Policy, connection: Effect.Effect<Connection, Failure>) => {
  let reader: Policy.Reader = {}
  return (all: ReadonlyArray<Parameters<typeof Policy.checkBreakpoint>[1]>) =>
    connection.pipe(
      Effect.map(({ propertiesRunCode = false }) => (reader = { propertiesRunCode })),
      Effect.orElseSucceed(() => reader),
      Effect.flatMap((found) =>
        Effect.forEach(all, (parts) => Policy.checkBreakpoint(policy, parts, found), { discard: true })
      )
    )
}

/** Returns what fails for new breakpoints where nothing can stop, or that a policy forbids. */
const permittedOf =
  (permit: ReturnType<typeof permitOf>, settable: () => Owner["settable"]) => (requests: ReadonlyArray<Request>) =>
    requests.length === 0
      ? Effect.void
      : Effect.andThen(
          Effect.suspend(settable),
          permit(requests.map((request) => ({ ...request, ...request.behaviour })))
        )

/** Makes an empty registry that belongs to no session yet. */
export const make = Effect.fnUntraced(function* ({ policy, secrets, sourceMap }: Options) {
  const clock = yield* Clock.Clock
  const oneAtATime = yield* Semaphore.make(1)
  const entries = new Entries()
  const hits = HitCounts.make(entries, clock)
  let owner: Owner = nobody
  let lastId = 0
  let lastInternalId = 0

  const connection = Effect.suspend(() => owner.connection)
  const forbidsCode = Policy.forbidsCode(policy) !== undefined
  const emit: Owner["emit"] = (event) => owner.emit(event)
  const placements = Placements.make({ entries, secrets, sourceMap, forbidsCode, emit })
  const edits = Edits.make({ entries, placements, connection })

  const recorded = <A, E>(edit: Effect.Effect<A, E>): Effect.Effect<A, E | Failure> =>
    Effect.suspend(() => owner.editable).pipe(Effect.andThen(edit), Effect.ensuring(Effect.sync(() => owner.edited())))
  const alone = <A, E>(edit: Effect.Effect<A, E>) => edit.pipe(Effect.uninterruptible, oneAtATime.withPermit)
  const exclusively = <A, E>(edit: Effect.Effect<A, E>) => alone(recorded(edit))

  const permit = permitOf(policy, connection)

  const permitted = permittedOf(permit, () => owner.settable)

  const addAll = Effect.fnUntraced(function* (requests: ReadonlyArray<Request>) {
    yield* connection
    const { existing, fresh } = Edits.plan(entries, requests)
    const created = fresh.length === 0 ? [] : yield* edits.create(lastId + 1, fresh)
    lastId += created.length
    const createdFor = new Map(fresh.map((request, index) => [Edits.requestKey(request), created[index]]))
    const found = requests.flatMap((request) => {
      const entry =
        existing(request) ??
        createdFor.get(Edits.requestKey(request)) ??
        created.find(({ place }) => samePlace(place, request.place))
      return entry === undefined ? [] : [{ entry, request }]
    })
    return yield* Effect.forEach(found, ({ entry, request }) =>
      fresh.includes(request) ? Effect.succeed(entry.model) : edits.update(entries.get(entry.id) ?? entry, request)
    )
  })

  const addJointly = JointEdits.make({
    entries,
    edits,
    last: () => lastId,
    used: (count) => {
      lastId += count
    },
    alone: (request) =>
      Effect.flatMap(addAll([request]), ([model]) =>
        model === undefined ? Effect.die(`no breakpoint was made for ${request.text}`) : Effect.succeed(model)
      ),
    oneAtATime: alone,
    recorded
  })

  const change = Effect.fn("Breakpoints.change")(
    (ids: Selection, patch: Patch) => Effect.andThen(permit([patch]), edits.change(ids, patch)),
    exclusively
  )

  const removeRunBound = () => {
    for (const { id, model } of entries.all().filter(({ id, place }) => id < 0 || place.kind === "watch")) {
      entries.delete(id)
      placements.announce("removed", model)
    }
  }

  const sendPending = (live: Connection) => placements.send(live, entries.pending())

  const recordedNow = () => entries.listed().map(({ model, place }) => ({ place, model }))

  const registry: Registry = {
    ...hits,
    assign: (next) => {
      owner = next
    },
    addAll: (requests) =>
      Span.within("Breakpoints.addAll")(Effect.andThen(permitted(requests), exclusively(addAll(requests)))),
    add: (request) => Span.within("Breakpoints.add")(Effect.andThen(permitted([request]), addJointly(request))),
    addInternal: (request) =>
      Effect.suspend(() => {
        const id = --lastInternalId
        return Effect.as(edits.create(id, [request]), id)
      }).pipe(exclusively),
    remove: Effect.fn("Breakpoints.remove")((ids: Selection) => edits.remove(ids), exclusively),
    change,
    find: (id) => {
      const entry = id > 0 ? entries.get(id) : undefined
      return entry === undefined
        ? Effect.fail(new Errors.BreakpointNotFound({ ids: [id], known: entries.listed().map((one) => one.id) }))
        : Effect.succeed(entry.model)
    },
    list: () => entries.listed().map(({ model }) => model),
    at: (place) => entries.at(place),
    countDown: (ids) =>
      Effect.suspend(() => {
        const reached = hits.countDown(ids)
        return reached.length === 0 ? Effect.void : Effect.asVoid(change(reached, { enabled: false, max: null }))
      }),
    recordPlacement: placements.record,
    clear: Effect.flatMap(connection, placements.clear).pipe(oneAtATime.withPermit),
    restore: Effect.flatMap(connection, (live) => {
      removeRunBound()
      hits.reset()
      return placements.send(live, entries.all())
    }).pipe(exclusively),
    refresh: Effect.suspend(() =>
      entries.pending().length === 0 ? Effect.void : exclusively(Effect.flatMap(connection, sendPending))
    ),
    removeSpent: Effect.suspend(() => {
      const isSpent = (entry: Entry.Entry) => entry.model.enabled && entry.isRemoved !== true && Entry.isSpent(entry)
      return entries.listed().some(isSpent)
        ? exclusively(Effect.flatMap(connection, (live) => placements.send(live, entries.listed().filter(isSpent))))
        : Effect.void
    }),
    recorded: recordedNow,
    current: () => entries.user(),
    last: () => lastId,
    adopt: (all, last) => {
      for (const { id } of entries.all()) entries.delete(id)
      for (const one of all) entries.put(adopted(one))
      lastId = Math.max(lastId, last)
    },
    recover: Effect.flatMap(connection, (live) => {
      const watches = recordedNow().filter(({ place }) => place.kind === "watch")
      removeRunBound()
      return Effect.as(placements.send(live, entries.all()), watches)
    }).pipe(exclusively),
    addAgain: (request, before) =>
      Effect.map(edits.create(before.id, [request]), ([entry]) => {
        if (entry === undefined) return before
        const { address, locations, resolved, size } = entry.model
        entry.model = {
          ...before,
          locations,
          resolved,
          ...(address === undefined ? {} : { address }),
          ...(size === undefined ? {} : { size })
        }
        return entry.model
      }).pipe(exclusively)
  }
  return registry
})
