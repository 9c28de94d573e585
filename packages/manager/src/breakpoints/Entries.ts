/**
 * The breakpoints of one session by number. Internal breakpoints have negative numbers and are never listed.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { groupKey, placeKey, samePlace, type Place } from "../model/BreakpointPlace.ts"
import type { Group } from "../ports/Backend.ts"
import type { Entry } from "./Entry.ts"

/** Numbers of breakpoints, or all that are listed. */
export type Selection = ReadonlyArray<number> | "all"

const isAt = ({ model, place: own }: Entry, place: Place): boolean => {
  if (samePlace(own, place)) return true
  if (place.kind === "function") return model.locations.some((location) => location.function === place.name)
  if (place.kind !== "line") return false
  return model.locations.some(
    ({ file, line }) => line === place.line && (file === place.file || file?.endsWith(`/${place.file}`) === true)
  )
}

const addressesOf = ({ model }: Entry): ReadonlyArray<bigint> =>
  model.locations.flatMap(({ address = "" }) => (/^0x[\da-f]+$/i.test(address) ? [BigInt(address)] : []))

const add = (index: Map<string, Set<number>>, key: string, id: number) => {
  const there = index.get(key)
  if (there === undefined) index.set(key, new Set([id]))
  else there.add(id)
}

const remove = (index: Map<string, Set<number>>, key: string, id: number) => {
  const there = index.get(key)
  there?.delete(id)
  if (there?.size === 0) index.delete(key)
}

/** The breakpoints of one session. */
export class Entries {
  readonly #byId = new Map<number, Entry>()
  /** Numbers by the key of the requested place, and by that of the list of the debugger. */
  readonly #byPlace = new Map<string, Set<number>>()
  readonly #byGroup = new Map<string, Set<number>>()

  /** Returns all breakpoints, including internal ones. */
  all(): ReadonlyArray<Entry> {
    return [...this.#byId.values()]
  }

  /** Returns the breakpoints that a user set, by number. */
  listed(): ReadonlyArray<Entry> {
    return this.all()
      .filter(({ id }) => id > 0)
      .toSorted((a, b) => a.id - b.id)
  }

  /** Yields the breakpoints that a user set, in the order in which they were set, without a copy. */
  *user(): Iterable<Entry> {
    for (const entry of this.#byId.values()) if (entry.id > 0) yield entry
  }

  /** Returns the breakpoints that a user requested at exactly this place, by number. */
  requestedAt(place: Place): ReadonlyArray<Entry> {
    return [...(this.#byPlace.get(placeKey(place)) ?? [])]
      .filter((id) => id > 0)
      .toSorted((a, b) => a - b)
      .flatMap((id) => this.#byId.get(id) ?? [])
  }

  /** Returns the breakpoints of one list of the debugger, enabled or not, in the order in which they were set. */
  inGroup(group: Group): ReadonlyArray<Entry> {
    return [...(this.#byGroup.get(groupKey(group)) ?? [])].flatMap((id) => this.#byId.get(id) ?? [])
  }

  /** Returns how many breakpoints one list of the debugger has, enabled or not. */
  countIn(group: Group): number {
    return this.#byGroup.get(groupKey(group))?.size ?? 0
  }

  /** Returns the enabled patterns, addresses and functions of one file or module that have no location yet. */
  pending(): ReadonlyArray<Entry> {
    return this.all().filter(({ group, model }) => group.kind === "special" && model.enabled && !model.resolved)
  }

  get(id: number): Entry | undefined {
    return this.#byId.get(id)
  }

  put(entry: Entry): void {
    const before = this.#byId.get(entry.id)
    if (before !== undefined && before.place !== entry.place) this.#unindex(before)
    this.#byId.set(entry.id, entry)
    add(this.#byPlace, placeKey(entry.place), entry.id)
    add(this.#byGroup, groupKey(entry.group), entry.id)
  }

  delete(id: number): void {
    const before = this.#byId.get(id)
    if (before !== undefined) this.#unindex(before)
    this.#byId.delete(id)
  }

  #unindex({ group, id, place }: Entry): void {
    remove(this.#byPlace, placeKey(place), id)
    remove(this.#byGroup, groupKey(group), id)
  }

  /** Returns the breakpoints with these numbers. Fails if one number is unknown. */
  select(ids: Selection): Effect.Effect<ReadonlyArray<Entry>, Errors.BreakpointNotFound> {
    return Effect.suspend(() => {
      const known = this.listed().map(({ id }) => id)
      const selected = ids === "all" ? known : ids
      const unknown = selected.filter((id) => !this.#byId.has(id))
      return unknown.length > 0
        ? Effect.fail(new Errors.BreakpointNotFound({ ids: unknown, known }))
        : Effect.succeed(this.all().filter(({ id }) => selected.includes(id)))
    })
  }

  /** Returns the numbers of the breakpoints that were requested at a place or are located there. */
  at(place: Place): ReadonlyArray<number> {
    return this.listed()
      .filter((entry) => isAt(entry, place))
      .map(({ id }) => id)
  }

  /**
   * Returns these numbers and those of the enabled breakpoints that were requested at the same places, or have a location at
   * the same address. If the address of the stop is known, only locations at this address count.
   */
  sharing(ids: ReadonlyArray<number>, stop?: bigint): ReadonlyArray<number> {
    const own = ids.flatMap((id) => this.#byId.get(id) ?? [])
    const addresses = new Set(own.flatMap(addressesOf).filter((address) => stop === undefined || address === stop))
    const shares = (entry: Entry) =>
      own.some(({ place }) => samePlace(place, entry.place)) ||
      addressesOf(entry).some((address) => addresses.has(address))
    const others = this.listed().filter(
      (entry) => entry.model.enabled && !ids.includes(entry.id) && own.length > 0 && shares(entry)
    )
    return others.length === 0 ? ids : [...ids, ...others.map(({ id }) => id)].toSorted((a, b) => a - b)
  }

  /** Returns a function that restores the current contents. */
  snapshot(): () => void {
    const before = [...this.#byId]
    return () => {
      this.#byId.clear()
      this.#byPlace.clear()
      this.#byGroup.clear()
      for (const [, entry] of before) this.put(entry)
    }
  }
}
