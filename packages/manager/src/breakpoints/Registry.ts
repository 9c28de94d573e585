/**
 * The breakpoints of one session: our numbers, what was asked for, where they really are, how often they were hit.
 *
 * This registry is the truth, not the adapter's ids. Adapters take the breakpoints of a file, and those of each other
 * kind, as whole lists: every change sends the list of its group again, one change at a time. A breakpoint that binds
 * nowhere is taken back before the caller hears of it. What an adapter cannot do is left to the manager: such
 * breakpoints are `managed`, and at each of their stops `decide` says whether anybody is told. Sentinels have negative
 * numbers and are on no list.
 */
import { Errors, type Breakpoint, type Event, type Stop } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Connection, Failure, Group, LaunchRequest, Placement } from "../ports/Backend.ts"
import * as Item from "./Entry.ts"
import * as Policy from "../model/Policy.ts"
import {
  groupKey,
  groupOf,
  modelOf,
  placeKey,
  samePlace,
  wantedOf,
  type Place,
  type Request
} from "../model/BreakpointPlace.ts"
import type { Secrets } from "../model/Secrets.ts"
import * as SourceMap from "../model/SourceMap.ts"

export type { Patch, Verdict } from "./Entry.ts"
export { placeOf, type Request } from "../model/BreakpointPlace.ts"

/** The registry of one session. */
export interface Registry {
  /** Sets a breakpoint, or returns the one that is there already, with the options that differ. */
  readonly add: (
    request: Request
  ) => Effect.Effect<Breakpoint.Breakpoint, Failure | Errors.BreakpointUnresolved | Errors.Policy>
  /** Sets several, sending each list once; none of the new ones stays when one binds nowhere. */
  readonly addAll: (
    requests: ReadonlyArray<Request>
  ) => Effect.Effect<ReadonlyArray<Breakpoint.Breakpoint>, Failure | Errors.BreakpointUnresolved | Errors.Policy>
  /** Sets a breakpoint of our own, on no list; answers with its number. */
  readonly guard: (request: Request) => Effect.Effect<number, Failure | Errors.BreakpointUnresolved>
  /** Removes some; none of them when one number is unknown. Answers with those that were removed. */
  readonly remove: (
    ids: ReadonlyArray<number> | "all"
  ) => Effect.Effect<ReadonlyArray<Breakpoint.Breakpoint>, Failure | Errors.BreakpointNotFound>
  /** Changes options; of none when one number is unknown. Numbers, places and hit counts stay. */
  readonly change: (
    ids: ReadonlyArray<number> | "all",
    patch: Item.Patch
  ) => Effect.Effect<ReadonlyArray<Breakpoint.Breakpoint>, Failure | Errors.BreakpointNotFound | Errors.Policy>
  readonly find: (id: number) => Effect.Effect<Breakpoint.Breakpoint, Errors.BreakpointNotFound>
  readonly list: () => ReadonlyArray<Breakpoint.Breakpoint>
  /** Whether the manager decides over the stops of a breakpoint. */
  readonly managed: (id: number) => boolean
  /** Those that were asked for at a place, or are there. */
  readonly at: (place: Place) => ReadonlyArray<number>
  /** Counts one hit of each, in a thread at a stop where these are known. */
  readonly hit: (ids: ReadonlyArray<number>, at?: { readonly stop?: number; readonly thread?: number }) => void
  /** Whether a stop of a thread concerns a breakpoint. */
  readonly concerns: (id: number, thread: number | undefined, name: string | undefined) => boolean
  /** Whether a condition that cannot be evaluated lets the program go on. */
  readonly forgives: (id: number) => boolean
  /** Adds to the newest hit of a breakpoint what was evaluated at it. */
  readonly recorded: (id: number, evaluations: ReadonlyArray<Stop.Evaluation>) => void
  /** The newest hits, oldest first. */
  readonly history: (id: number) => ReadonlyArray<Breakpoint.Hit>
  /** Counts one stop or message of each that is good for so many only, and disables those that have had theirs. */
  readonly tire: (
    ids: ReadonlyArray<number>
  ) => Effect.Effect<void, Failure | Errors.BreakpointNotFound | Errors.Policy>
  /** What is to be done about the newest hit of a breakpoint, which was counted. */
  readonly decide: (id: number) => Item.Verdict
  /** Takes over a later placement that the adapter announced by itself. */
  readonly moved: (placement: Placement) => void
  /** Takes every breakpoint out of the program; the registry keeps them. */
  readonly withdraw: Effect.Effect<void, Failure>
  /** Sets every breakpoint again, in a debugger that has none of them; watchpoints end, whose memory is gone. */
  readonly again: Effect.Effect<void, Failure>
}

/** A registry that sends its lists over `connection`; changes are announced through `emit`. */
export const make = Effect.fnUntraced(function* (
  connection: Effect.Effect<Connection, Failure>,
  emit: (event: Event.Event) => void,
  secrets: Secrets,
  policy: Policy.Policy = Policy.none,
  sourceMap?: LaunchRequest["sourceMap"]
) {
  const clock = yield* Clock.Clock
  const items = new Map<number, Item.Entry>()
  const oneAtATime = yield* Semaphore.make(1)
  let last = 0
  let lastGuard = 0

  const send = Effect.fnUntraced(function* (live: Connection, group: Group) {
    const key = groupKey(group)
    const list = [...items.values()].filter((item) => groupKey(item.group) === key && item.model.enabled)
    const placements = yield* live.setBreakpoints(
      group,
      list.map((item) => wantedOf(item.id, item.place, item.model, secrets))
    )
    for (const placement of placements) moved(placement)
  })

  const sendAll = (live: Connection, changed: ReadonlyArray<Item.Entry>) =>
    Effect.forEach(
      [...new Map(changed.map((item) => [groupKey(item.group), item.group])).values()],
      (group) => send(live, group),
      { discard: true }
    )

  const announce = (change: "set" | "moved" | "removed", breakpoint: Breakpoint.Breakpoint) =>
    breakpoint.id < 0 ? undefined : emit({ _tag: "BreakpointChanged", change, breakpoint })

  const moved = (placement: Placement) => {
    const item = items.get(placement.id)
    if (item === undefined) return
    if (placement.left !== undefined) item.left = placement.left
    const locations = placement.locations.map((location) => SourceMap.placed(sourceMap, location))
    const model = Item.placed(item.model, { ...placement, locations })
    const by = Item.isManaged(item) ? "manager" : model.by === "manager" ? "adapter" : model.by
    const unmoved = Item.samePlaces(model, item.model)
    const rebound = item.model.resolved !== model.resolved || item.model.resolved
    item.model = { ...(unmoved ? item.model : model), by }
    if (item.announced && rebound && !unmoved) announce("moved", item.model)
  }

  const listed = () => [...items.values()].filter((item) => item.id > 0)

  const chosen = Effect.fnUntraced(function* (ids: ReadonlyArray<number> | "all") {
    const all = ids === "all" ? listed().map((item) => item.id) : ids
    const unknown = all.filter((id) => !items.has(id))
    if (unknown.length > 0) {
      return yield* new Errors.BreakpointNotFound({ ids: unknown, known: listed().map((item) => item.id) })
    }
    return [...items.values()].filter((item) => all.includes(item.id))
  })

  const restore = (before: ReadonlyArray<readonly [number, Item.Entry]>) => {
    items.clear()
    for (const [id, item] of before) items.set(id, item)
  }

  const change = Effect.fnUntraced(function* (ids: ReadonlyArray<number> | "all", patch: Item.Patch) {
    const known = yield* chosen(ids)
    const before = [...items]
    for (const item of known) items.set(item.id, { ...item, model: Item.patched(item.model, patch) })
    const live = yield* Effect.option(connection)
    if (live._tag === "Some") {
      const takeBack = Effect.suspend(() => {
        restore(before)
        return sendAll(live.value, known)
      })
      yield* sendAll(live.value, known).pipe(Effect.onError(() => Effect.ignore(takeBack)))
    }
    return known.map((item) => {
      const model = items.get(item.id)?.model ?? item.model
      announce("set", model)
      return model
    })
  })

  const notExact = ({ text }: Request, { locations }: Breakpoint.Breakpoint) => {
    const next = locations[0]?.line
    const reason = `no code at that line${next === undefined ? "" : `; the next line with code is ${next}`}`
    return new Errors.BreakpointUnresolved({ location: text, reason, near: [] })
  }

  const update = Effect.fnUntraced(function* (known: Item.Entry, request: Request) {
    const { behaviour, condition, disabled, exact, hits, log, passing } = request
    if (passing === true) return { ...known.model, existing: true }
    if (exact === true && known.model.moved) return yield* notExact(request, known.model)
    const patch: Item.Patch = {
      ...(condition === undefined ? {} : { condition }),
      ...(hits === undefined ? {} : { hits }),
      ...(log === undefined ? {} : { log }),
      ...behaviour,
      enabled: disabled !== true
    }
    if (JSON.stringify(Item.patched(known.model, patch)) === JSON.stringify(Item.patched(known.model, {}))) {
      return { ...known.model, existing: true }
    }
    const [model = known.model] = yield* change([known.id], patch).pipe(
      Effect.catchTag("BreakpointNotFound", () => Effect.succeed([known.model]))
    )
    return { ...model, existing: true }
  })

  /** Why a breakpoint may not stay where the debugger put it, if so. */
  const refusal = (request: Request, { moved: elsewhere, ...model }: Breakpoint.Breakpoint) => {
    if (!model.resolved && !request.pending) {
      const reason = model.reason ?? "the debugger found no such place"
      return new Errors.BreakpointUnresolved({ location: request.text, reason, near: [] })
    }
    return request.exact === true && elsewhere ? notExact(request, { ...model, moved: elsewhere }) : undefined
  }

  /** Sets new ones, all or none; the numbers are `first` and those after it. */
  const create = Effect.fnUntraced(function* (live: Connection, first: number, requests: ReadonlyArray<Request>) {
    const made = requests.map((request, index) => {
      const id = first + index
      const { place } = request
      const group = groupOf(place)
      const item: Item.Entry = {
        id,
        place,
        group,
        left: [],
        announced: false,
        history: [],
        model: modelOf(id, request)
      }
      return { item, request }
    })
    const fresh = made.map(({ item }) => item)
    for (const item of fresh) items.set(item.id, item)
    const takeBack = Effect.suspend(() => {
      for (const { id } of fresh) items.delete(id)
      return sendAll(live, fresh)
    })
    yield* sendAll(live, fresh).pipe(Effect.onError(() => Effect.ignore(takeBack)))
    for (const { item, request } of made) {
      const refused = refusal(request, item.model)
      if (refused === undefined) continue
      yield* takeBack
      return yield* refused
    }
    const off = made.filter(({ request }) => request.disabled === true).map(({ item }) => item)
    for (const item of off) item.model = { ...item.model, enabled: false }
    yield* sendAll(live, off)
    for (const item of fresh) {
      item.announced = true
      announce("set", item.model)
    }
    return fresh
  })

  const addAll = Effect.fnUntraced(
    function* (requests: ReadonlyArray<Request>) {
      yield* Effect.forEach(requests, (request) => Policy.acting(policy, { ...request, ...request.behaviour }), {
        discard: true
      })
      const live = yield* connection
      const placed = Map.groupBy(listed(), ({ place }) => placeKey(place))
      const knownFor = ({ passing, place }: Request) =>
        placed.get(placeKey(place))?.find(({ model }) => model.enabled || passing !== true)
      const fresh = new Map<string, Request>()
      for (const request of requests) {
        const key = placeKey(request.place)
        if (knownFor(request) === undefined && !fresh.has(key)) fresh.set(key, request)
      }
      const made = fresh.size === 0 ? [] : yield* create(live, last + 1, [...fresh.values()])
      last += made.length
      const madeAt = new Map(made.map((item) => [placeKey(item.place), item]))
      const found = requests.flatMap((request) => {
        const item = knownFor(request) ?? madeAt.get(placeKey(request.place))
        return item === undefined ? [] : [{ isNew: fresh.get(placeKey(request.place)) === request, item, request }]
      })
      return yield* Effect.forEach(found, ({ isNew, item, request }) =>
        isNew ? Effect.succeed(item.model) : update(items.get(item.id) ?? item, request)
      )
    },
    Effect.uninterruptible,
    oneAtATime.withPermit
  )

  const registry: Registry = {
    add: (request) =>
      Effect.flatMap(addAll([request]), ([model]) =>
        model === undefined ? Effect.die(`no breakpoint came of ${request.text}`) : Effect.succeed(model)
      ),

    addAll,

    guard: (request) =>
      Effect.flatMap(connection, (live) => {
        const id = --lastGuard
        return Effect.as(create(live, id, [request]), id)
      }).pipe(Effect.uninterruptible, oneAtATime.withPermit),

    remove: Effect.fnUntraced(
      function* (ids) {
        const gone = yield* chosen(ids)
        const before = [...items]
        for (const item of gone) items.delete(item.id)
        const live = yield* Effect.option(connection)
        if (live._tag === "Some") {
          const takeBack = Effect.suspend(() => {
            restore(before)
            return sendAll(live.value, gone)
          })
          yield* sendAll(live.value, gone).pipe(Effect.onError(() => Effect.ignore(takeBack)))
        }
        for (const item of gone) announce("removed", item.model)
        return gone.map((item) => item.model)
      },
      Effect.uninterruptible,
      oneAtATime.withPermit
    ),

    change: (ids, patch) =>
      Effect.andThen(Policy.acting(policy, patch), change(ids, patch)).pipe(
        Effect.uninterruptible,
        oneAtATime.withPermit
      ),

    find: (id) => {
      const item = id > 0 ? items.get(id) : undefined
      return item === undefined
        ? Effect.fail(new Errors.BreakpointNotFound({ ids: [id], known: listed().map((one) => one.id) }))
        : Effect.succeed(item.model)
    },

    list: () => listed().map((item) => item.model),

    at: (place) =>
      listed()
        .filter(
          (item) =>
            samePlace(item.place, place) ||
            (place.kind === "line" &&
              item.model.locations.some(
                ({ file, line }) =>
                  line === place.line && (file === place.file || file?.endsWith(`/${place.file}`) === true)
              )) ||
            (place.kind === "function" && item.model.locations.some((location) => location.function === place.name))
        )
        .map(({ id }) => id),

    managed: (id) => {
      const item = items.get(id)
      return item !== undefined && Item.isManaged(item)
    },

    hit: (ids, at = {}) => {
      for (const id of ids) {
        const item = items.get(id)
        if (item !== undefined) Item.hit(item, { time: clock.currentTimeMillisUnsafe(), ...at })
      }
    },

    concerns: (id, thread, name) => {
      const item = items.get(id)
      return item !== undefined && Item.concerns(item, thread, name)
    },

    forgives: (id) => items.get(id)?.model.on_condition_error === "continue",

    decide: (id) => {
      const item = items.get(id)
      return item === undefined ? "go on" : Item.decide(item)
    },

    recorded: (id, evaluations) => {
      const item = items.get(id)
      const newest = item?.history.at(-1)
      if (item === undefined || newest === undefined) return
      const values = Object.fromEntries(
        evaluations.map(({ error, expression, value }) => [expression, value ?? `<${error ?? ""}>`])
      )
      item.history = [...item.history.slice(0, -1), { ...newest, values }]
    },

    history: (id) => items.get(id)?.history ?? [],

    tire: Effect.fnUntraced(function* (ids) {
      const over: Array<number> = []
      for (const id of ids) {
        const item = items.get(id)
        if (item?.model.max === undefined || !item.model.enabled) continue
        item.model = { ...item.model, max: item.model.max - 1 }
        if ((item.model.max ?? 0) <= 0) over.push(id)
      }
      if (over.length > 0) yield* registry.change(over, { enabled: false, max: null })
    }),

    moved,

    withdraw: Effect.flatMap(connection, (live) =>
      Effect.forEach(
        [...new Map([...items.values()].map((item) => [groupKey(item.group), item.group])).values()],
        (group) => live.setBreakpoints(group, []),
        { discard: true }
      )
    ).pipe(oneAtATime.withPermit),

    again: Effect.flatMap(connection, (live) => {
      // Guards and watched memory belong to one run.
      for (const item of [...items.values()].filter(({ id, place }) => id < 0 || place.kind === "watch")) {
        items.delete(item.id)
        announce("removed", item.model)
      }
      // The program begins again, and so do the counts.
      for (const item of items.values()) {
        item.model = { ...item.model, hit_count: 0 }
        item.history = []
      }
      return sendAll(live, [...items.values()])
    }).pipe(oneAtATime.withPermit)
  }
  return registry
})
