/**
 * All breakpoints of one LLDB command line: lines, functions, other places, memory, exceptions.
 *
 * Exception filters are called as lldb-dap calls them, so that a session looks the same in both.
 */
import { Parse, type Breakpoint as Lldb } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import { BreakpointIds } from "../console/BreakpointIds.ts"
import type * as DapEvents from "../dap/Events.ts"
import type { Console } from "./Console.ts"
import * as LldbBreakpoints from "../console/lldb/Breakpoints.ts"

interface Filter {
  readonly filter: string
  readonly label: string
  readonly place: Lldb.Place
}

/** What LLDB can stop at, in the words of lldb-dap. */
const filters: ReadonlyArray<Filter> = [
  { filter: "cpp_catch", label: "C++ Catch", place: { kind: "exception", language: "c++", on: "catch" } },
  { filter: "cpp_throw", label: "C++ Throw", place: { kind: "exception", language: "c++", on: "throw" } },
  { filter: "objc_catch", label: "Objective-C Catch", place: { kind: "exception", language: "objc", on: "catch" } },
  { filter: "objc_throw", label: "Objective-C Throw", place: { kind: "exception", language: "objc", on: "throw" } }
]

/** The requests about breakpoints. */
export interface Breakpoints extends Pick<Backend.Connection, "setBreakpoints" | "lines" | "filters"> {
  /** LLDB says that one of its breakpoints has got places. */
  readonly bound: (theirs: number) => Effect.Effect<void, Backend.Failure>
}

/** The breakpoints of one console. */
export const make = (console: Console, events: DapEvents.Context): Breakpoints => {
  const { ids } = events
  const watchIds = new BreakpointIds()
  events.watchIds = watchIds
  const lists = LldbBreakpoints.make({ command: console.text, ids, watchIds, major: console.major })

  const exceptions = Effect.fnUntraced(function* (wanted: ReadonlyArray<Backend.Wanted>) {
    const known = wanted.flatMap((one) => {
      const found = filters.find(({ filter }) => filter === one.filter)
      return found === undefined ? [] : [{ ...one, ...found }]
    })
    const placed = yield* lists.exceptions(known)
    events.catches = known.map(({ filter, id, label }) => ({ id, filter, label }))
    return wanted.map(
      (one): Backend.Placement =>
        placed
          .filter(({ id }) => id === one.id)
          .map((placement): Backend.Placement => ({ ...placement, locations: [], left: ["log"] }))[0] ?? {
          id: one.id,
          resolved: false,
          locations: [],
          reason: "the debugger has no such filter"
        }
    )
  })

  const set: Breakpoints["setBreakpoints"] = (group, wanted) => {
    switch (group.kind) {
      case "source":
        return lists.source(group.path, wanted)
      case "function":
        return lists.functions(wanted)
      case "special":
        return lists.special(wanted)
      case "watch":
        return lists.watch(wanted)
      case "exception":
        return exceptions(wanted)
    }
  }

  return {
    setBreakpoints: set,
    lines: lists.lines,
    filters: Effect.succeed(filters.map(({ filter, label }) => ({ filter, label, conditions: true }))),
    bound: Effect.fnUntraced(function* (theirs) {
      const id = ids.oursOf(theirs)
      if (id === undefined) return
      const locations = Parse.breakpointPlaces(yield* console.text(`breakpoint list -v ${theirs}`))
      if (locations.length > 0 && ids.settle(id, true)) events.listener.placed({ id, resolved: true, locations })
    })
  }
}
