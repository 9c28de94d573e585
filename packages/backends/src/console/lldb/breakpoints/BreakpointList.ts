/**
 * One list of breakpoints that LLDB commands set: each breakpoint by its own command, so that a change costs as much as the
 * change and not as much as the list.
 *
 * Several new breakpoints are sent together: the commands that set them, then one question where LLDB bound them.
 *
 * A breakpoint at a line of a file that LLDB knows is set in the modules that have code of the file (`FileModules`). If a module with
 * such code is loaded later, it is set again.
 */
import { Breakpoint as Lldb } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  createAll,
  type Fresh,
  knownLocations,
  type Made,
  narrowed,
  optionsOf,
  type Shared
} from "./BreakpointCreation.ts"
import * as BreakpointReasons from "./BreakpointReasons.ts"
import type * as BoundBreakpoint from "./BoundBreakpoint.ts"
import * as FunctionEntries from "./FunctionEntries.ts"
import * as Watchpoints from "./Watchpoints.ts"

/** The field that all placements of one list have in common. */
export type Common = Pick<Backend.Placement, "by">

/** A breakpoint that was sent to LLDB. `debuggerId` is LLDB's number, -1 if LLDB refused it. */
export interface Known {
  readonly debuggerId: number
  /** LLDB's numbers of the other parts of a watchpoint. */
  readonly further?: ReadonlyArray<number>
  readonly options: string
  readonly placement: Backend.Placement
  /** Present if LLDB searched some modules only. */
  readonly narrow?: Narrow | undefined
}

/** A breakpoint that LLDB set in some modules only. */
interface Narrow {
  readonly fresh: Fresh
  readonly file: string
  readonly modules: ReadonlyArray<string>
  readonly common: Common
}

/** Returns a place in the syntax of the field `at` of the operation `break`. */
const placeOf = (at: Backend.SpecialPlace): string => {
  switch (at.kind) {
    case "line":
      return `${at.file}:${at.line}${at.column === undefined ? "" : `:${at.column}`}`
    case "address":
      return `*${at.expression}`
    case "regex":
      return `/${at.pattern}/${at.ignoreCase ? "i" : ""}`
    case "function":
      return at.module !== undefined
        ? `${at.module}\`${at.name}`
        : at.file !== undefined
          ? `${at.file}:${at.name}`
          : at.name
  }
}

/** What the manager has to do for a breakpoint that is set by commands. */
const unsupportedOf = (
  { hits, log }: Backend.BreakpointRequest,
  { split, uncompiled }: BoundBreakpoint.Binding
): NonNullable<Backend.Placement["unsupported"]> => [
  ...((split || uncompiled) && hits !== undefined ? (["hits"] as const) : []),
  ...(log === undefined ? [] : (["log"] as const)),
  ...(uncompiled ? (["condition"] as const) : [])
]

/** Returns why a condition at an address cannot be evaluated there; undefined if it can. */
const unsetIn = Effect.fnUntraced(function* (
  { functions }: Shared,
  condition: string | undefined,
  locations: ReadonlyArray<Backend.BreakpointLocation>
) {
  if (condition === undefined) return undefined
  for (const { address, module } of locations) {
    if (address === undefined || module === undefined) continue
    const found = yield* functions.unsetAt(BigInt(address), module)
    const names = found === undefined ? [] : FunctionEntries.readsUnset(found, condition)
    if (names.length > 0) {
      return `the condition reads ${names.join(", ")}, not set up yet at this address; break on the function or line instead`
    }
  }
  return undefined
})

/** Returns what is remembered of a breakpoint that LLDB sets in some modules. */
const narrowOf = (asked: Fresh, { at }: Fresh, common: Common): Narrow | undefined =>
  at.kind === "line" && at.modules !== undefined
    ? { fresh: asked, file: at.file, modules: at.modules, common }
    : undefined

/** Fails if LLDB found the place and set no breakpoint: no debug register is free, or the debug server does not use them. */
const checkHardware = Effect.fnUntraced(function* (
  { command }: Shared,
  at: Backend.SpecialPlace,
  id: number,
  { locations }: BoundBreakpoint.Binding
) {
  if (locations.length > 0 || !/^\s+location = /m.test(yield* command(`breakpoint list -v ${id}`))) return
  yield* command(`breakpoint delete ${id}`)
  return yield* new Errors.Unsupported({
    what: "a breakpoint in a debug register",
    by: "this target",
    remedies: [Hint.call("break", { at: placeOf(at) })]
  })
})

/** Returns the placement of a breakpoint that LLDB has set. Removes it again if its condition cannot be evaluated there. */
const placed = Effect.fnUntraced(function* (
  options: Shared,
  { at, wanted }: Fresh,
  { id, isPending }: Extract<Made, { readonly kind: "made" }>,
  binding: BoundBreakpoint.Binding,
  common: Common
): Effect.fn.Return<Omit<Known, "options">, Backend.Failure> {
  const { locations } = binding
  const unset =
    binding.refused ?? (at.kind === "address" ? yield* unsetIn(options, wanted.condition, locations) : undefined)
  if (unset !== undefined) {
    yield* options.entries.release(wanted.id)
    yield* options.command(`breakpoint delete ${id}`)
    options.ids.remove(wanted.id)
    return refused(wanted, unset, common)
  }
  if (wanted.at?.hardware === true) yield* checkHardware(options, wanted.at, id, binding)
  // Before the program is loaded LLDB accepts any address. The code that throws may be in a library that is loaded later.
  const isPlaceable = (at.kind === "address" && !isPending) || at.kind === "exception"
  const resolved = locations.length > 0 || isPlaceable
  return {
    debuggerId: id,
    placement: {
      id: wanted.id,
      ...common,
      resolved,
      locations,
      unsupported: unsupportedOf(wanted, binding),
      ...(resolved ? {} : { reason: yield* BreakpointReasons.whyNone(options, at) })
    }
  }
})

const refused = (wanted: Backend.BreakpointRequest, reason: string, common: Common): Omit<Known, "options"> => ({
  debuggerId: -1,
  placement: { id: wanted.id, ...common, resolved: false, locations: [], reason }
})

/** Text that is equal for two requests if LLDB needs no change. */
const textOf = (wanted: Backend.BreakpointRequest) => JSON.stringify(optionsOf(wanted))

/** A breakpoint that LLDB has set. */
interface Created {
  readonly one: Fresh
  readonly made: Extract<Made, { readonly kind: "made" }>
}

/**
 * Examines where LLDB bound new breakpoints. LLDB lists the first of each function; the locations of the others in a function without
 * optimization are those of the answers that LLDB gave already.
 */
const bindAll = Effect.fnUntraced(function* (
  options: Shared,
  all: ReadonlyArray<Created>
): Effect.fn.Return<ReadonlyMap<Fresh, BoundBreakpoint.Binding>, Backend.Failure> {
  const bindings = new Map<Fresh, BoundBreakpoint.Binding>()
  const bind = Effect.fnUntraced(function* (some: ReadonlyArray<Created>) {
    if (some.length === 0) return
    const bound = yield* options.entries.bindAll(
      some.map(({ made, one }) => {
        const listed = knownLocations(options, one, made)
        return { wanted: one.wanted, debuggerId: made.id, ...(listed === undefined ? {} : { listed }) }
      })
    )
    for (const [index, { one }] of some.entries()) {
      const binding = bound[index]
      if (binding !== undefined) bindings.set(one, binding)
    }
  })
  const groups = Map.groupBy(all, ({ made: { id, place } }) =>
    place === undefined ? id : `${place.module} ${place.function}`
  )
  yield* bind([...groups.values()].flatMap(([first]) => first ?? []))
  yield* bind([...groups.values()].flatMap(([, ...others]) => others))
  return bindings
})

/** Sets new breakpoints and adds them to a list. What LLDB has set is in the list also after a failure. */
const setAll = Effect.fnUntraced(function* (
  options: Shared,
  list: Map<number, Known>,
  asked: ReadonlyArray<Fresh>,
  common: Common
) {
  const fresh: Array<Fresh> = []
  for (const one of asked) fresh.push(yield* narrowed(options, one))
  const answers = yield* createAll(options, fresh)
  const made = fresh.flatMap((one, index) => {
    const answer = answers.get(one)
    if (answer === undefined || Result.isFailure(answer)) return []
    if (answer.success.kind === "refused") {
      list.set(one.wanted.id, { ...refused(one.wanted, answer.success.reason, common), options: textOf(one.wanted) })
      return []
    }
    const { id } = answer.success
    const unplaced: Backend.Placement = { id: one.wanted.id, ...common, resolved: false, locations: [] }
    list.set(one.wanted.id, { debuggerId: id, options: textOf(one.wanted), placement: unplaced })
    const narrow = narrowOf(asked[index] ?? one, one, common)
    return [{ one, made: answer.success, narrow }]
  })
  const failure = [...answers.values()].find(Result.isFailure)
  if (failure !== undefined) return yield* Effect.fail(failure.failure)
  const bindings = yield* bindAll(options, made)
  for (const each of made) {
    const binding = bindings.get(each.one)
    if (binding === undefined) continue
    const known = yield* placed(options, each.one, each.made, binding, common).pipe(
      Effect.tapError(() => Effect.sync(() => list.delete(each.one.wanted.id)))
    )
    list.set(each.one.wanted.id, { ...known, options: textOf(each.one.wanted), narrow: each.narrow })
  }
})

/**
 * Sets breakpoints of a list again that LLDB set in some modules, if another module has code of their file. Returns their placements.
 */
export const widen = Effect.fnUntraced(function* (options: Shared, list: Map<number, Known>) {
  const { command, entries, modules } = options
  const narrow = [...list.values()].flatMap((one) => one.narrow ?? [])
  const found = new Map<string, ReadonlyArray<string>>()
  for (const { file } of narrow) if (!found.has(file)) found.set(file, yield* modules.of(file))
  const outdated = narrow.filter((one) => found.get(one.file)?.some((module) => !one.modules.includes(module)) === true)
  for (const { fresh } of outdated) {
    const { id } = fresh.wanted
    const known = list.get(id)
    list.delete(id)
    yield* entries.release(id)
    if (known !== undefined && known.debuggerId >= 0) yield* command(`breakpoint delete ${known.debuggerId}`)
  }
  for (const [common, all] of Map.groupBy(outdated, (one) => one.common)) {
    yield* setAll(
      options,
      list,
      all.map(({ fresh }) => fresh),
      common
    )
  }
  return outdated.flatMap(({ fresh }) => list.get(fresh.wanted.id)?.placement ?? [])
})

/** Updates breakpoints that LLDB has already. A library that was loaded in the meantime may contain their places. */
const updateAll = Effect.fnUntraced(function* (
  options: Shared,
  list: Map<number, Known>,
  before: ReadonlyArray<{ readonly wanted: Backend.BreakpointRequest; readonly known: Known }>
) {
  for (const { known, wanted } of before) {
    if (known.options === textOf(wanted)) continue
    const unset =
      wanted.at?.kind === "address" ? yield* unsetIn(options, wanted.condition, known.placement.locations) : undefined
    if (unset !== undefined) return yield* new Errors.AdapterError({ command: "breakpoint", detail: unset })
    yield* Watchpoints.run(options, Lldb.modify(known.debuggerId, optionsOf(wanted), options.major))
  }
  const bound = before.flatMap((one) => {
    const debuggerId = options.ids.debuggerIdOf(one.wanted.id)
    return debuggerId === undefined ? [] : [{ ...one, debuggerId }]
  })
  const bindings = yield* options.entries.bindAll(bound)
  for (const [index, { known, wanted }] of bound.entries()) {
    const binding = bindings[index]
    if (binding === undefined) continue
    const text = textOf(wanted)
    if (binding.refused !== undefined && known.options !== text) {
      return yield* new Errors.AdapterError({ command: "breakpoint", detail: binding.refused })
    }
    const { reason, ...rest } = known.placement
    const placement: Backend.Placement = {
      ...rest,
      ...(binding.locations.length > 0
        ? { resolved: true, locations: binding.locations }
        : reason === undefined
          ? {}
          : { reason }),
      unsupported: unsupportedOf(wanted, binding)
    }
    list.set(wanted.id, { ...known, options: text, placement })
  }
})

/** Removes breakpoints that the new list does not contain, by `deleteCommand`. */
export const removeOthers = (
  { command, entries }: Shared,
  known: Map<number, Known>,
  wanted: ReadonlyArray<Backend.BreakpointRequest>,
  deleteCommand: string
) => {
  const stays = new Set(wanted.map(({ id }) => id))
  return Effect.forEach([...known], ([id, { debuggerId, further = [] }]) => {
    if (stays.has(id)) return Effect.void
    known.delete(id)
    if (debuggerId < 0) return Effect.void
    return Effect.andThen(entries.release(id), command([deleteCommand, debuggerId, ...further].join(" ")))
  })
}

/** How the breakpoints of a list are placed. */
export interface Kind {
  readonly place: (one: Backend.BreakpointRequest) => Lldb.Place
  readonly common: Common
}

/** Adds breakpoints to a list, and returns their placements. */
export const add = Effect.fnUntraced(function* (
  options: Shared,
  list: Map<number, Known>,
  wanted: ReadonlyArray<Backend.BreakpointRequest>,
  { common, place }: Kind
) {
  yield* setAll(
    options,
    list,
    wanted.map((one) => ({ wanted: one, at: place(one) })),
    common
  )
  return wanted.map(
    (one): Backend.Placement => list.get(one.id)?.placement ?? { id: one.id, resolved: false, locations: [] }
  )
})

/** Replaces a list, by the differences from the one before, and returns the placements. */
export const replace = Effect.fnUntraced(function* (
  options: Shared,
  list: Map<number, Known>,
  wanted: ReadonlyArray<Backend.BreakpointRequest>,
  kind: Kind
) {
  // A breakpoint that is set in some modules gets no condition and no count: it is set again, in all modules.
  const isOutdated = (one: Backend.BreakpointRequest) => {
    const known = list.get(one.id)
    return known?.narrow !== undefined && known.options !== textOf(one)
  }
  yield* removeOthers(
    options,
    list,
    wanted.filter((one) => !isOutdated(one)),
    "breakpoint delete"
  )
  const before = wanted.flatMap((one) => {
    const known = list.get(one.id)
    return known === undefined || known.debuggerId < 0 ? [] : [{ wanted: one, known }]
  })
  yield* updateAll(options, list, before)
  const stays = new Set(before.map((one) => one.wanted.id))
  yield* add(
    options,
    list,
    wanted.filter(({ id }) => !stays.has(id)),
    kind
  )
  return wanted.map(
    (one): Backend.Placement => list.get(one.id)?.placement ?? { id: one.id, resolved: false, locations: [] }
  )
})
