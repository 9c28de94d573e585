/**
 * Counts how often the program passes the places of breakpoints with a condition or a count.
 *
 * LLDB 19 counts only the passes at which the condition holds. So a second breakpoint at the same address counts all of them:
 * it waits for a hit that no program reaches, and never stops. A breakpoint with a count but no condition counts by itself.
 */
import { Breakpoint as Lldb, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { FunctionEntries } from "./FunctionEntries.ts"

/** What a connection provides. */
export interface Options {
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly major: number
  readonly functions: FunctionEntries
}

/** A breakpoint whose passes are counted. */
export interface Counted {
  readonly debuggerId: number
  readonly wanted: Backend.BreakpointRequest
  /** Locations of the breakpoint itself. */
  readonly kept: ReadonlyMap<string, Parse.BreakpointLocation>
  /** Breakpoints that take the place of other locations. */
  readonly companions: ReadonlyMap<string, { readonly id: number; readonly location: Backend.BreakpointLocation }>
  /** LLDB's numbers of the breakpoints that count passes, by module and address in the file. */
  readonly counters: Map<string, number>
}

/** How often the program passed the place of a breakpoint. */
interface Passes {
  readonly id: number
  readonly count: number
}

/** The counters of one connection. */
export interface PassCounters {
  /** Sets a counter at each address of a breakpoint with a condition. */
  readonly add: (one: Counted) => Effect.Effect<void, Backend.Failure>
  readonly remove: (one: Counted) => Effect.Effect<void, Backend.Failure>
  /** Returns a request for the passes of those that are counted; undefined if none are. */
  readonly passes: (all: ReadonlyArray<Counted>) => Effect.Effect<ReadonlyArray<Passes>, Backend.Failure> | undefined
}

/** The hit at which a counter would stop. */
const neverReached = 2_000_000_000

/** Returns LLDB's numbers of a breakpoint besides the first one. LLDB may name any of them at a stop. */
export const furtherOf = ({ companions, counters }: Counted): ReadonlyArray<number> => [
  ...[...companions.values()].map(({ id }) => id),
  ...counters.values()
]

/** Returns the numbers whose hits are the passes of a breakpoint; none if the passes are not known. */
const countedBy = ({ companions, counters, debuggerId, kept, wanted }: Counted): ReadonlyArray<number> => {
  if (wanted.condition !== undefined) {
    return counters.size > 0 && counters.size === kept.size + companions.size ? [...counters.values()] : []
  }
  return wanted.hits === undefined ? [] : [debuggerId, ...[...companions.values()].map(({ id }) => id)]
}

/** Makes the counters of one connection. */
export const make = ({ command, functions, major }: Options): PassCounters => ({
  add: Effect.fnUntraced(function* ({ companions, counters, kept, wanted: { at, condition } }) {
    if (condition === undefined || at?.hardware === true) return
    const places = [...kept.values(), ...[...companions.values()].map(({ location }) => location)]
    for (const { address, module } of places) {
      if (module === undefined || address === undefined) continue
      const code = yield* functions.codeAt(BigInt(address), module)
      if (code === undefined) continue
      const expression = `0x${code.fileAddress.toString(16)}`
      const key = `${module} ${expression}`
      if (counters.has(key)) continue
      const built = Lldb.set({ kind: "address", expression, module }, { hits: neverReached }, major)
      const made = Result.isSuccess(built) ? Lldb.created(yield* command(built.success)) : undefined
      if (made !== undefined) counters.set(key, made.id)
    }
  }),

  remove: ({ counters }) =>
    Effect.suspend(() => {
      const numbers = [...counters.values()]
      counters.clear()
      return Effect.forEach(numbers, (number) => command(`breakpoint delete ${number}`), { discard: true })
    }),

  passes: (all) => {
    const counted = all.map((one) => ({ id: one.wanted.id, numbers: countedBy(one) }))
    const known = counted.filter(({ numbers }) => numbers.length > 0)
    if (known.length === 0) return undefined
    return Effect.map(command("breakpoint list"), (text) => {
      const hits = Parse.breakpointHits(text)
      return known.map(({ id, numbers }) => ({
        id,
        count: numbers.reduce((sum, number) => sum + (hits.get(number) ?? 0), 0)
      }))
    })
  }
})
