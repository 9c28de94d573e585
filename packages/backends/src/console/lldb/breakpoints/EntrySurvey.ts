/**
 * Decides about the locations of many breakpoints with few questions to LLDB: all lists are read by one command, the facts of a
 * function once, and several questions are sent before the first is answered.
 */
import { Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import { isJudged, type Decision, type make as makeRule } from "./EntryRule.ts"
import type { FunctionEntries } from "./FunctionEntries.ts"

/** A breakpoint whose locations are examined. */
export interface Examined {
  readonly wanted: Backend.BreakpointRequest
  /** The locations that were examined. */
  readonly examined: Set<string>
  /** Whether code is loaded that was loaded at some time, by LLDB's number of the location. */
  readonly loaded: Map<string, boolean>
}

/** A breakpoint and the locations that LLDB lists now. */
export interface Listed<A> {
  readonly one: A
  readonly listed: ReadonlyArray<Parse.BreakpointLocation>
}

/** The function that LLDB searches by name; undefined for other breakpoints. */
const nameOf = ({ at, function: name }: Backend.BreakpointRequest): string | undefined =>
  at === undefined ? name : at.kind === "function" && at.file === undefined ? at.name : undefined

/** Returns the functions of a breakpoint's name that LLDB does not find, because their names have a tag. */
const taggedPlaces = Effect.fnUntraced(function* (
  { tagged }: Pick<FunctionEntries, "tagged">,
  wanted: Backend.BreakpointRequest
) {
  const name = nameOf(wanted)
  // The function in which every program begins has no tag.
  if (name === undefined || name === "main") return []
  const wantedModule = wanted.at?.kind === "function" ? wanted.at.module : undefined
  return (yield* tagged(name)).filter(
    ({ module = "" }) => wantedModule === undefined || module === wantedModule || module.endsWith(`/${wantedModule}`)
  )
})

/** How many questions about the program are asked at once. */
export const concurrency = 8

/** The name of a location. It is examined again when its code is loaded. */
export const keyOf = ({ loaded, number }: Parse.BreakpointLocation) => `${number} ${loaded}`

/**
 * Forgets what was decided about locations whose code was loaded or unloaded in the meantime. Returns true if code was loaded again:
 * LLDB then counts its traps as set, and they are not in the memory.
 */
export const forgetMoved = (
  { examined, loaded }: Examined,
  listed: ReadonlyArray<Parse.BreakpointLocation>
): boolean => {
  let isLoadedAgain = false
  for (const location of listed) {
    examined.delete(keyOf({ ...location, loaded: !location.loaded }))
    const before = loaded.get(location.number)
    isLoadedAgain ||= location.loaded && before === false
    if (location.loaded || before !== undefined) loaded.set(location.number, location.loaded)
  }
  return isLoadedAgain
}

/** Parses `breakpoint list -v` into the locations of each breakpoint, by LLDB's number of the breakpoint. */
export const byBreakpoint = (output: string): ReadonlyMap<number, ReadonlyArray<Parse.BreakpointLocation>> =>
  Map.groupBy(Parse.breakpointLocations(output), ({ number }) => Number.parseInt(number, 10))

/** What is to be done about the new locations of a breakpoint. `others` are those that LLDB does not find. */
export interface Survey<A> {
  readonly one: A
  readonly others: ReadonlyArray<Parse.BreakpointLocation>
  readonly decisions: ReadonlyArray<{
    readonly location: Parse.BreakpointLocation
    readonly decision: Decision
  }>
}

/** Decides about the new locations of breakpoints. Changes nothing. */
export const make = Effect.fnUntraced(function* <A extends Examined>(
  functions: FunctionEntries,
  decide: ReturnType<typeof makeRule>,
  all: ReadonlyArray<Listed<A>>
): Effect.fn.Return<ReadonlyArray<Survey<A>>, Backend.Failure> {
  const found = yield* Effect.forEach(
    all,
    ({ listed, one }) =>
      Effect.map(taggedPlaces(functions, one.wanted), (others) => {
        const locations = [...listed, ...others]
        return { one, others, locations, fresh: locations.filter((location) => !one.examined.has(keyOf(location))) }
      }),
    { concurrency }
  )
  // Many breakpoints are in one function. Its facts are read once, by the first of them.
  const fresh = found.flatMap(({ fresh: own, one }) => (isJudged(one.wanted) ? own : []))
  const groups = [...Map.groupBy(fresh, ({ function: name = "", module = "" }) => `${module} ${name}`).values()]
  const first = groups.flatMap(([one]) => (one?.module === undefined ? [] : [one]))
  const shared = groups.flatMap(([one, ...others]) => (one === undefined || others.length === 0 ? [] : [one]))
  const pairs = found.flatMap(({ fresh: own, locations, one }) => own.map((location) => ({ location, locations, one })))
  const decisions = yield* functions.together(
    first,
    Effect.andThen(
      Effect.forEach(shared, ({ address, module }) => functions.functionAt(address, module), {
        concurrency,
        discard: true
      }),
      Effect.forEach(
        pairs,
        ({ location, locations, one }) =>
          Effect.map(decide(one.wanted, location, locations), (decision) => ({ decision, location, one })),
        { concurrency }
      )
    )
  )
  for (const { decision, location } of decisions) if (decision === "keep") functions.remember(location)
  const decided = Map.groupBy(decisions, ({ one }) => one)
  return found.map(({ one, others }) => ({ one, others, decisions: decided.get(one) ?? [] }))
})
