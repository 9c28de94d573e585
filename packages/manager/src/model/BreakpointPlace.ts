/**
 * A requested breakpoint: its place, made from a location, and the list of the debugger that it belongs to.
 */
import { HitCount, Errors, type Breakpoint, type Location } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Group, SpecialPlace, BreakpointRequest, WatchedMemory } from "../ports/Backend.ts"
import * as LogMessage from "./LogMessage.ts"
import type * as Secrets from "./secrets/Secrets.ts"

/** Place of a breakpoint. Relative locations and paths are resolved. */
export type Place =
  | { readonly kind: "line"; readonly file: string; readonly line: number; readonly column?: number }
  | { readonly kind: "function"; readonly name: string }
  | { readonly kind: "special"; readonly at: SpecialPlace }
  | { readonly kind: "watch"; readonly watch: WatchedMemory }
  | { readonly kind: "catch"; readonly filter: string }

/** Options of a breakpoint beside its condition, hit count and log message. */
export type Behaviour = Pick<
  Breakpoint.Breakpoint,
  "name" | "thread" | "thread_name" | "cmd" | "eval" | "continue" | "max" | "on_condition_error"
>

/** A breakpoint to set. */
export interface Request {
  readonly text: string
  readonly place: Place
  readonly condition?: string
  /** Hit count, in the notation of `HitCount`. */
  readonly hits?: string
  readonly log?: string
  readonly pending: boolean
  readonly temporary: boolean
  readonly behaviour?: Behaviour
  /** `until` runs to it. Changes nothing about an enabled breakpoint at that place. A disabled one is ignored. */
  readonly forUntil?: boolean
  readonly disabled?: boolean
  /** Fails for a line without code, instead of moving the breakpoint. */
  readonly exact?: boolean
  /** Trimmed text of the line. */
  readonly lineText?: string
  /** Kind to show instead of that of the place. */
  readonly kind?: "catch"
}

/** Returns the list of the debugger that a place belongs to. */
export const groupOf = (place: Place): Group => {
  switch (place.kind) {
    case "line":
      return { kind: "source", path: place.file }
    case "catch":
      return { kind: "exception" }
    case "function":
    case "special":
    case "watch":
      return { kind: place.kind }
  }
}

/** Returns a key for a list of the debugger. */
export const groupKey = (group: Group): string => (group.kind === "source" ? `source:${group.path}` : group.kind)

/** Returns the place for a hardware breakpoint. Watchpoints are hardware breakpoints anyway. */
export const inHardware = (place: Place): Place => {
  switch (place.kind) {
    case "line":
      return { kind: "special", at: { ...place, hardware: true } }
    case "function":
      return { kind: "special", at: { ...place, hardware: true } }
    case "special":
      return { kind: "special", at: { ...place.at, hardware: true } }
    case "watch":
    case "catch":
      return place
  }
}

/** True if two places are equal. */
export const samePlace = (a: Place, b: Place): boolean => placeKey(a) === placeKey(b)

const placeKeys = new WeakMap<Place, string>()

/** Returns a key for a place. */
export const placeKey = (place: Place): string => {
  const known = placeKeys.get(place)
  if (known !== undefined) return known
  const key = JSON.stringify(place)
  placeKeys.set(place, key)
  return key
}

const kindOf = (place: Place): Breakpoint.Breakpoint["kind"] => (place.kind === "special" ? place.at.kind : place.kind)

const requestedOf = ({ lineText, place, text }: Request): Breakpoint.Breakpoint["requested"] => {
  switch (place.kind) {
    case "line":
      return { text, file: place.file, line: place.line, ...(lineText === undefined ? {} : { line_text: lineText }) }
    case "function":
      return { text, function: place.name }
    case "special":
      return place.at.kind === "line" ? { text, file: place.at.file, line: place.at.line } : { text }
    default:
      return { text }
  }
}

/** Returns the model of a breakpoint that the debugger has not placed yet. */
export const modelOf = (id: number, request: Request): Breakpoint.Breakpoint => {
  const { condition, hits, log, place } = request
  return {
    id,
    kind: request.kind ?? kindOf(place),
    requested: requestedOf(request),
    locations: [],
    resolved: false,
    moved: false,
    enabled: true,
    ...(condition === undefined ? {} : { condition }),
    ...(hits === undefined ? {} : { hits_wanted: hits }),
    ...(log === undefined ? {} : { log }),
    ...request.behaviour,
    hit_count: 0,
    temporary: request.temporary,
    ...(place.kind === "special" && place.at.hardware === true ? { hardware: true } : {}),
    by: "adapter",
    ...(place.kind === "watch"
      ? { access: place.watch.access, size: place.watch.size, address: place.watch.address }
      : {})
  }
}

/** A breakpoint for a debugger. With `onlyReads` the debugger gets no condition: the manager evaluates it. */
interface Wanted {
  readonly model: Breakpoint.Breakpoint
  readonly onlyReads: boolean
}

/** True if an option of a breakpoint needs a decision of the manager at each stop. */
export const needsEachStop = ({ model, onlyReads }: Wanted): boolean =>
  (onlyReads && model.condition !== undefined) ||
  model.thread !== undefined ||
  model.thread_name !== undefined ||
  model.continue === true ||
  model.on_condition_error === "continue"

/**
 * Returns the hit count for the debugger, less the hits so far. The debugger counts up to the first hit of `N` and `==N`; the
 * manager suppresses the hits after `==N`.
 */
const hitsToCome = ({ model, onlyReads }: Wanted): number | undefined => {
  const counted = model.hits_wanted === undefined ? undefined : HitCount.parse(model.hits_wanted)
  if ((counted?.how !== "from" && counted?.how !== "==") || needsEachStop({ model, onlyReads })) return undefined
  const left = counted.times - model.hit_count
  return left > 1 ? left : undefined
}

/** Returns a breakpoint for the debugger. It does not get a log message that the manager keeps. */
export const toBreakpointRequest = (
  { id, model, onlyReads, place }: Wanted & { readonly id: number; readonly place: Place },
  secrets: Secrets.Secrets,
  keepsLog: boolean
): BreakpointRequest => {
  const hits = hitsToCome({ model, onlyReads })
  const log = model.log === undefined || keepsLog ? undefined : LogMessage.masked(model.log, secrets)
  const options = {
    id,
    ...(model.condition === undefined || onlyReads ? {} : { condition: model.condition }),
    ...(hits === undefined ? {} : { hits }),
    ...(log === undefined ? {} : { log })
  }
  switch (place.kind) {
    case "line":
      return { ...options, line: place.line, ...(place.column === undefined ? {} : { column: place.column }) }
    case "function":
      return { ...options, function: place.name }
    case "special":
      return { ...options, at: place.at }
    case "watch":
      return { ...options, watch: place.watch }
    case "catch":
      return { ...options, filter: place.filter }
  }
}

/** Resolves a location to a place. Relative locations start at the current position. */
export const placeOf = (
  location: Location.Location,
  here: Location.Position | undefined,
  resolveFile: (file: string) => Effect.Effect<string>
): Effect.Effect<Place, Errors.InvalidLocation> => {
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
      return Effect.succeed(
        location.file === undefined && location.module === undefined
          ? { kind: "function", name: location.name }
          : { kind: "special", at: location }
      )
    case "address":
    case "regex":
      return Effect.succeed({ kind: "special", at: location })
  }
}
