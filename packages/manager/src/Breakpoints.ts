/**
 * The breakpoints of one session: our numbers, what was asked for, where they really are.
 *
 * This registry is the truth, not the adapter's ids. Adapters take the breakpoints of a file, and those on functions,
 * as whole lists: every change sends the list of its group again, one change at a time. A breakpoint that binds
 * nowhere is taken back before the caller hears of it.
 */
import { Errors, type Breakpoint, type Event, type Location } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Connection, Failure, Group, Placement, Wanted } from "./Backend.ts"

/** A breakpoint to set: its place is resolved, relative forms and paths are gone. */
export interface Request {
  readonly text: string
  readonly place:
    | { readonly kind: "line"; readonly file: string; readonly line: number; readonly column?: number }
    | { readonly kind: "function"; readonly name: string }
  readonly condition?: string
  readonly pending: boolean
  readonly temporary: boolean
}

interface Item {
  readonly group: Group
  readonly wanted: Wanted
  /** Whether anybody has heard of it yet. */
  announced: boolean
  model: Breakpoint.Breakpoint
}

const groupKey = (group: Group) => (group.kind === "source" ? `source:${group.path}` : "function")

const groupOf = (place: Request["place"]): Group =>
  place.kind === "line" ? { kind: "source", path: place.file } : { kind: "function" }

const samePlace = (item: Item, { place }: Request) =>
  place.kind === "line"
    ? item.group.kind === "source" &&
      item.group.path === place.file &&
      item.wanted.line === place.line &&
      item.wanted.column === place.column
    : item.group.kind === "function" && item.wanted.function === place.name

const placed = (model: Breakpoint.Breakpoint, placement: Placement): Breakpoint.Breakpoint => {
  const { reason: _, ...rest } = model
  const asked = model.requested.line
  return {
    ...rest,
    locations: placement.locations,
    resolved: placement.resolved,
    moved:
      placement.resolved &&
      asked !== undefined &&
      placement.locations.length > 0 &&
      placement.locations.every((location) => location.line !== asked),
    ...(placement.reason === undefined ? {} : { reason: placement.reason })
  }
}

const samePlaces = (a: Breakpoint.Breakpoint, b: Breakpoint.Breakpoint) =>
  a.resolved === b.resolved && a.reason === b.reason && JSON.stringify(a.locations) === JSON.stringify(b.locations)

/** The registry of one session. */
export interface Breakpoints {
  /** Sets a breakpoint, or returns the one that is there already. */
  readonly add: (request: Request) => Effect.Effect<Breakpoint.Breakpoint, Failure | Errors.BreakpointUnresolved>
  /** Removes some; none of them when one number is unknown. Answers with those that were removed. */
  readonly remove: (
    ids: ReadonlyArray<number> | "all"
  ) => Effect.Effect<ReadonlyArray<Breakpoint.Breakpoint>, Failure | Errors.BreakpointNotFound>
  readonly list: () => ReadonlyArray<Breakpoint.Breakpoint>
  /** Counts one hit of each. */
  readonly hit: (ids: ReadonlyArray<number>) => void
  /** Takes over a later placement that the adapter announced by itself. */
  readonly moved: (placement: Placement) => void
}

/** A registry that sends its lists over `connection`; changes are announced through `emit`. */
export const make = Effect.fnUntraced(function* (
  connection: Effect.Effect<Connection, Failure>,
  emit: (event: Event.Event) => void
) {
  const items = new Map<number, Item>()
  const oneAtATime = yield* Semaphore.make(1)
  let last = 0

  const send = Effect.fnUntraced(function* (live: Connection, group: Group) {
    const key = groupKey(group)
    const list = [...items.values()].filter((item) => groupKey(item.group) === key)
    const placements = yield* live.setBreakpoints(
      group,
      list.map((item) => item.wanted)
    )
    for (const placement of placements) moved(placement)
  })

  const announce = (change: "set" | "moved" | "removed", breakpoint: Breakpoint.Breakpoint) =>
    emit({ _tag: "BreakpointChanged", change, breakpoint })

  const moved = (placement: Placement) => {
    const item = items.get(placement.id)
    if (item === undefined) return
    const model = placed(item.model, placement)
    if (samePlaces(model, item.model)) return
    const rebound = item.model.resolved !== model.resolved || item.model.resolved
    item.model = model
    if (item.announced && rebound) announce("moved", model)
  }

  const update = Effect.fnUntraced(function* (live: Connection, known: Item, condition: string | undefined) {
    if (condition === undefined || condition === known.wanted.condition) return { ...known.model, existing: true }
    const changed = { ...known, wanted: { ...known.wanted, condition }, model: { ...known.model, condition } }
    items.set(known.wanted.id, changed)
    const takeBack = Effect.suspend(() => {
      items.set(known.wanted.id, known)
      return send(live, known.group)
    })
    yield* send(live, known.group).pipe(Effect.onError(() => Effect.ignore(takeBack)))
    announce("set", changed.model)
    return { ...changed.model, existing: true }
  })

  const create = Effect.fnUntraced(function* (live: Connection, request: Request) {
    const id = last + 1
    const { place } = request
    const condition = request.condition === undefined ? {} : { condition: request.condition }
    const item: Item = {
      group: groupOf(place),
      announced: false,
      wanted:
        place.kind === "line"
          ? { id, line: place.line, ...(place.column === undefined ? {} : { column: place.column }), ...condition }
          : { id, function: place.name, ...condition },
      model: {
        id,
        kind: place.kind,
        requested:
          place.kind === "line"
            ? { text: request.text, file: place.file, line: place.line }
            : { text: request.text, function: place.name },
        locations: [],
        resolved: false,
        moved: false,
        enabled: true,
        ...condition,
        hit_count: 0,
        temporary: request.temporary,
        by: "adapter"
      }
    }
    items.set(id, item)
    const takeBack = Effect.suspend(() => {
      items.delete(id)
      return send(live, item.group)
    })
    yield* send(live, item.group).pipe(Effect.onError(() => Effect.ignore(takeBack)))
    if (!item.model.resolved && !request.pending) {
      yield* takeBack
      return yield* new Errors.BreakpointUnresolved({
        location: request.text,
        reason: item.model.reason ?? "the debugger found no such place",
        near: []
      })
    }
    last = id
    item.announced = true
    announce("set", item.model)
    return item.model
  })

  const registry: Breakpoints = {
    add: (request) =>
      Effect.flatMap(connection, (live) => {
        const known = [...items.values()].find((item) => samePlace(item, request))
        return known === undefined ? create(live, request) : update(live, known, request.condition)
      }).pipe(Effect.uninterruptible, oneAtATime.withPermit),

    remove: Effect.fnUntraced(
      function* (ids) {
        const chosen = ids === "all" ? [...items.keys()] : ids
        const unknown = chosen.filter((id) => !items.has(id))
        if (unknown.length > 0) {
          return yield* new Errors.BreakpointNotFound({ ids: unknown, known: [...items.keys()] })
        }
        const before = [...items]
        const gone = [...items.values()].filter((item) => chosen.includes(item.wanted.id))
        for (const item of gone) items.delete(item.wanted.id)
        const live = yield* Effect.option(connection)
        if (live._tag === "Some") {
          const groups = [...new Map(gone.map((item) => [groupKey(item.group), item.group])).values()]
          const sendAll = Effect.forEach(groups, (group) => send(live.value, group), { discard: true })
          const takeBack = Effect.suspend(() => {
            items.clear()
            for (const [id, item] of before) items.set(id, item)
            return sendAll
          })
          yield* sendAll.pipe(Effect.onError(() => Effect.ignore(takeBack)))
        }
        for (const item of gone) announce("removed", item.model)
        return gone.map((item) => item.model)
      },
      Effect.uninterruptible,
      oneAtATime.withPermit
    ),

    list: () => [...items.values()].map((item) => item.model),

    hit: (ids) => {
      for (const id of ids) {
        const item = items.get(id)
        if (item !== undefined) item.model = { ...item.model, hit_count: item.model.hit_count + 1 }
      }
    },

    moved
  }
  return registry
})

/** The place of a location, relative forms resolved against the current position; fails with what cannot be placed. */
export const placeOf = (
  location: Location.Location,
  here: Location.Position | undefined,
  resolveFile: (file: string) => Effect.Effect<string>
): Effect.Effect<Request["place"], Errors.InvalidLocation | Errors.Unsupported> => {
  const unsupported = (what: string) =>
    Effect.fail(new Errors.Unsupported({ what, by: "this version", remedy: "sigtrap break FILE:LINE" }))
  switch (location.kind) {
    case "line":
      return Effect.map(resolveFile(location.file), (file) => ({
        kind: "line",
        file,
        line: location.line,
        ...(location.column === undefined ? {} : { column: location.column })
      }))
    case "here":
    case "offset": {
      const text = location.kind === "here" ? `${location.line}` : `${location.lines}`
      const line = location.kind === "here" ? location.line : (here?.line ?? 0) + location.lines
      return here?.file === undefined || here.line === undefined || line < 1
        ? Effect.fail(new Errors.InvalidLocation({ text, problem: "there is no current line; write FILE:LINE" }))
        : Effect.succeed({ kind: "line", file: here.file, line })
    }
    case "function":
      return location.file === undefined && location.module === undefined
        ? Effect.succeed({ kind: "function", name: location.name })
        : unsupported("a function of one file or module")
    case "address":
      return unsupported("breakpoints on addresses")
    case "regex":
      return unsupported("breakpoints by pattern")
  }
}
