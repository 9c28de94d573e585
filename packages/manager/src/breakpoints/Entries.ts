/**
 * The breakpoints of one session by number. Internal breakpoints have negative numbers and are never listed.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { samePlace, type Place } from "../model/BreakpointPlace.ts"
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

/** The breakpoints of one session. */
export class Entries {
  readonly #byId = new Map<number, Entry>()

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

  /** Returns the enabled patterns, addresses and functions of one file or module that have no location yet. */
  pending(): ReadonlyArray<Entry> {
    return this.all().filter(({ group, model }) => group.kind === "special" && model.enabled && !model.resolved)
  }

  get(id: number): Entry | undefined {
    return this.#byId.get(id)
  }

  put(entry: Entry): void {
    this.#byId.set(entry.id, entry)
  }

  delete(id: number): void {
    this.#byId.delete(id)
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
      for (const [id, entry] of before) this.#byId.set(id, entry)
    }
  }
}
