/**
 * Adds, changes and removes breakpoints. Each edit is all or nothing: it is undone in the registry and in the debugger
 * if the debugger refuses it, or if a new breakpoint has no location and is not pending.
 */
import { Errors, type Breakpoint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BreakpointLocation, Connection, Failure } from "../ports/Backend.ts"
import { groupOf, modelOf, placeKey, type Request } from "../model/BreakpointPlace.ts"
import type { Entries, Selection } from "./Entries.ts"
import * as Entry from "./Entry.ts"
import type { Placements } from "./Placements.ts"
import * as SimilarNames from "./SimilarNames.ts"

/** Dependencies of edits. */
export interface Options {
  readonly entries: Entries
  readonly placements: Placements
  readonly connection: Effect.Effect<Connection, Failure>
}

/** A breakpoint that was added for one of several callers. `refused` makes the error of one that was removed again. */
export interface Created {
  readonly entry: Entry.Entry
  readonly refused?: Effect.Effect<Errors.BreakpointUnresolved>
}

/** The edits of one session's breakpoints. The caller runs one at a time. */
export interface Edits {
  /** Adds breakpoints with the numbers from `first` on. */
  readonly create: (
    first: number,
    requests: ReadonlyArray<Request>
  ) => Effect.Effect<ReadonlyArray<Entry.Entry>, Failure | Errors.BreakpointUnresolved>
  /**
   * Adds breakpoints of several callers with the numbers from `first` on. A refused one is removed and leaves the others. Each
   * caller announces its own.
   */
  readonly createEach: (
    first: number,
    requests: ReadonlyArray<Request>
  ) => Effect.Effect<ReadonlyArray<Created>, Failure>
  /** Emits the event of a new breakpoint, as its caller. */
  readonly announceNew: (entry: Entry.Entry) => void
  /** Applies the options of a request to the breakpoint that exists at its place. */
  readonly update: (
    entry: Entry.Entry,
    request: Request
  ) => Effect.Effect<Breakpoint.Breakpoint, Failure | Errors.BreakpointUnresolved>
  /** Changes options of breakpoints. */
  readonly change: (
    ids: Selection,
    patch: Entry.Patch
  ) => Effect.Effect<ReadonlyArray<Breakpoint.Breakpoint>, Failure | Errors.BreakpointNotFound>
  /** Removes breakpoints and returns them. */
  readonly remove: (
    ids: Selection
  ) => Effect.Effect<ReadonlyArray<Breakpoint.Breakpoint>, Failure | Errors.BreakpointNotFound>
}

const notExact = ({ text }: Request, { locations }: Breakpoint.Breakpoint) => {
  const next = locations[0]?.line
  const reason = `the debugger has no location at that line${next === undefined ? "" : `; the next one is in line ${next}`}`
  return new Errors.BreakpointUnresolved({ location: text, reason, near: [] })
}

/** Returns the error for a new breakpoint that must be removed again; undefined if it may stay. */
const refusal = (request: Request, model: Breakpoint.Breakpoint): Errors.BreakpointUnresolved | undefined => {
  if (!model.resolved && !request.pending) {
    const reason = model.reason ?? "the debugger found no such place"
    return new Errors.BreakpointUnresolved({ location: request.text, reason, near: [] })
  }
  return request.exact === true && model.moved ? notExact(request, model) : undefined
}

/** Returns the functions or files of the program whose names are similar to that of a place which was not found. */
const similar = ({ inspection }: Connection, { place }: Request): Effect.Effect<ReadonlyArray<string>> => {
  const at = place.kind === "special" ? place.at : place
  if (at.kind === "function") return SimilarNames.functions(inspection, at.name)
  return at.kind === "line" ? SimilarNames.files(inspection, at.file) : Effect.succeed([])
}

/** Adds the first line with code, as the nearest place, if the name of a function is that of a source file. */
const namedFile = ({ inspection, lines }: Connection, name: string, refused: Errors.BreakpointUnresolved) =>
  Effect.gen(function* () {
    if (!/\.\w+$/.test(name)) return refused
    const files = yield* inspection.files
    const file = files.find((one) => SimilarNames.baseName(one) === SimilarNames.baseName(name))
    if (file === undefined) return refused
    const found = (yield* lines(file)).flatMap(({ line }) => (line === undefined ? [] : [line]))
    if (found.length === 0) return refused
    const first = Math.min(...found)
    const reason = `it is a source file, so a line is needed; the first line with code is ${first}`
    return new Errors.BreakpointUnresolved({ location: refused.location, reason, near: [`${name}:${first}`] })
  }).pipe(
    Effect.timeoutOption(SimilarNames.searchWithin),
    Effect.map(Option.getOrElse(() => refused)),
    Effect.orElseSucceed(() => refused)
  )

/** Adds the last line with code, as the nearest place, to the reason why a line after it has no breakpoint. */
const explained = (
  live: Connection,
  { place }: Request,
  refused: Errors.BreakpointUnresolved
): Effect.Effect<Errors.BreakpointUnresolved> => {
  const at = place.kind === "special" ? place.at : place
  if (at.kind === "function") return namedFile(live, at.name, refused)
  if (at.kind !== "line") return Effect.succeed(refused)
  return live.lines(at.file).pipe(
    Effect.timeoutOption(SimilarNames.searchWithin),
    Effect.map(Option.getOrElse((): ReadonlyArray<BreakpointLocation> => [])),
    Effect.map((found) => {
      const last = found.reduce((most, { line = 0 }) => Math.max(most, line), 0)
      if (last === 0 || at.line <= last) return refused
      const reason = `${refused.reason}; the last line with code is ${last}`
      const near = [`${SimilarNames.baseName(at.file)}:${last}`]
      return new Errors.BreakpointUnresolved({ location: refused.location, reason, near })
    }),
    Effect.orElseSucceed(() => refused)
  )
}

const entryOf = (id: number, request: Request): Entry.Entry => ({
  id,
  place: request.place,
  group: groupOf(request.place),
  forUntil: request.forUntil === true,
  keepsMessages: Entry.isFew(request.behaviour?.max),
  onlyReads: false,
  unsupported: [],
  announced: false,
  history: [],
  model: modelOf(id, request)
})

const patchOf = ({ behaviour, condition, disabled, hits, log }: Request): Entry.Patch => ({
  ...(condition === undefined ? {} : { condition }),
  ...(hits === undefined ? {} : { hits }),
  ...(log === undefined ? {} : { log }),
  ...behaviour,
  enabled: disabled !== true
})

const sameOptions = (a: Breakpoint.Breakpoint, b: Breakpoint.Breakpoint) => JSON.stringify(a) === JSON.stringify(b)

/** Time in which a debugger that did not carry out an edit may answer the list before it, in milliseconds. */
const undoWithin = 1000

/** Runs the undo of a failed edit. A debugger that does not answer it has not answered the edit for a longer time. */
const bounded = (undo: Effect.Effect<void, Failure>): Effect.Effect<void> =>
  Effect.ignore(Effect.timeoutOption(Effect.interruptible(undo), undoWithin))

/** Makes the edits of one session. */
export const make = ({ connection, entries, placements }: Options): Edits => {
  /** Sends the lists of changed breakpoints if there is a debugger; calls `restore` and sends them again on failure. */
  const sendOrRestore = Effect.fnUntraced(function* (changed: ReadonlyArray<Entry.Entry>, restore: () => void) {
    const live = yield* Effect.option(connection)
    if (live._tag === "None") return
    const undo = Effect.suspend(() => {
      restore()
      return placements.send(live.value, changed)
    })
    yield* placements.send(live.value, changed).pipe(Effect.onError(() => bounded(undo)))
  })

  const change = Effect.fnUntraced(function* (ids: Selection, patch: Entry.Patch) {
    const selected = yield* entries.select(ids)
    const restore = entries.snapshot()
    const limited = patch.max === undefined ? {} : { keepsMessages: Entry.isFew(patch.max) }
    for (const entry of selected) entries.put({ ...entry, ...limited, model: Entry.patched(entry.model, patch) })
    yield* sendOrRestore(selected, restore)
    return selected.map((entry) => {
      const model = entries.get(entry.id)?.model ?? entry.model
      placements.announce("set", model)
      return model
    })
  })

  const remove = Effect.fnUntraced(function* (ids: Selection) {
    const selected = yield* entries.select(ids)
    const restore = entries.snapshot()
    for (const { id } of selected) entries.delete(id)
    yield* sendOrRestore(selected, restore)
    const models = selected.map(({ model }) => model)
    for (const model of models) placements.announce("removed", model)
    return models
  })

  const update = Effect.fnUntraced(function* (entry: Entry.Entry, request: Request) {
    if (request.forUntil === true) return { ...entry.model, existing: true }
    if (request.exact === true && entry.model.moved) return yield* notExact(request, entry.model)
    const patch = patchOf(request)
    if (sameOptions(Entry.patched(entry.model, patch), Entry.patched(entry.model, {}))) {
      return { ...entry.model, existing: true }
    }
    const [model = entry.model] = yield* change([entry.id], patch).pipe(
      Effect.catchTag("BreakpointNotFound", () => Effect.succeed([entry.model]))
    )
    return { ...model, existing: true, updated: true }
  })

  const create = Effect.fnUntraced(function* (first: number, requests: ReadonlyArray<Request>) {
    const live = yield* connection
    const created = requests.map((request, index) => ({ entry: entryOf(first + index, request), request }))
    const fresh = created.map(({ entry }) => entry)
    for (const entry of fresh) entries.put(entry)
    const undo = Effect.suspend(() => {
      for (const { id } of fresh) entries.delete(id)
      return placements.send(live, fresh)
    })
    yield* placements.sendNew(live, fresh).pipe(Effect.onError(() => bounded(undo)))
    for (const { entry, request } of created) {
      const refused = refusal(request, entry.model)
      if (refused === undefined) continue
      yield* undo
      return yield* Effect.fail(yield* withNames(live, request, entry, refused))
    }
    yield* disable(live, created)
    fresh.forEach(announceNew)
    return fresh
  })

  /** Returns the error for a refused breakpoint, with similar names. */
  const withNames = Effect.fnUntraced(function* (
    live: Connection,
    request: Request,
    entry: Entry.Entry,
    refused: Errors.BreakpointUnresolved
  ) {
    const { location, near, reason } = yield* explained(live, request, refused)
    return new Errors.BreakpointUnresolved({
      location,
      reason,
      near: near.length > 0 ? near : (entry.near ?? (yield* similar(live, request)))
    })
  })

  /** Disables new breakpoints. A disabled breakpoint is placed first, so that its location is known. */
  const disable = (
    live: Connection,
    created: ReadonlyArray<{ readonly entry: Entry.Entry; readonly request: Request }>
  ) => {
    const disabled = created.filter(({ request }) => request.disabled === true).map(({ entry }) => entry)
    for (const entry of disabled) entry.model = { ...entry.model, enabled: false }
    return placements.send(live, disabled)
  }

  const announceNew = (entry: Entry.Entry) => {
    entry.announced = true
    placements.announce("set", entry.model)
  }

  const createEach = Effect.fnUntraced(function* (first: number, requests: ReadonlyArray<Request>) {
    const live = yield* connection
    const created = requests.map((request, index) => ({ entry: entryOf(first + index, request), request }))
    const fresh = created.map(({ entry }) => entry)
    for (const entry of fresh) entries.put(entry)
    const remove = (some: ReadonlyArray<Entry.Entry>) =>
      Effect.suspend(() => {
        for (const { id } of some) entries.delete(id)
        return placements.send(live, some)
      })
    const judged = yield* Effect.gen(function* () {
      yield* placements.sendNew(live, fresh)
      const all = created.map((one) => ({ ...one, refused: refusal(one.request, one.entry.model) }))
      yield* remove(all.flatMap(({ entry, refused }) => (refused === undefined ? [] : [entry])))
      yield* disable(
        live,
        all.filter(({ refused }) => refused === undefined)
      )
      return all
    }).pipe(Effect.onError(() => bounded(remove(fresh))))
    return judged.map(({ entry, refused, request }): Created => ({
      entry,
      ...(refused === undefined ? {} : { refused: withNames(live, request, entry, refused) })
    }))
  })

  return { create, createEach, announceNew, update, change, remove }
}

/** Returns a key for the place, condition, hit count and log message of a request. Requests of one list with another key are all set. */
export const requestKey = ({ condition, hits, forUntil, log, place }: Request): string =>
  JSON.stringify([placeKey(place), ...(forUntil === true ? [] : [condition, hits, log])])

/** Splits requests into those whose place has no breakpoint yet and, for each request, the breakpoint it shall have. */
export const plan = (entries: Entries, requests: ReadonlyArray<Request>) => {
  const placed = new Map(requests.map(({ place }) => [placeKey(place), entries.requestedAt(place)]))
  const existing = ({ condition, forUntil, place }: Request) => {
    const there = (placed.get(placeKey(place)) ?? []).filter(({ model }) => model.enabled || forUntil !== true)
    return there.find(({ model }) => model.condition === condition) ?? there[0]
  }
  const fresh = new Map<string, Request>()
  const places = new Set<string>()
  for (const request of requests) {
    const place = placeKey(request.place)
    const isTaken = request.forUntil === true ? places.has(place) : fresh.has(requestKey(request))
    if (existing(request) !== undefined || isTaken) continue
    fresh.set(requestKey(request), request)
    places.add(place)
  }
  return { existing, fresh: [...fresh.values()] }
}
