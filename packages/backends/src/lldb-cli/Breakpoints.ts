/**
 * Sets all breakpoints of one LLDB command line: lines, functions, other places, watchpoints, exceptions.
 *
 * Exception filters have the names and labels of lldb-dap, so that both backends show the same.
 */
import { Parse, type Breakpoint as Lldb } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { BreakpointIds } from "../console/BreakpointIds.ts"
import type { Translator } from "../dap/Events.ts"
import type { Console } from "./Console.ts"
import * as LldbBreakpoints from "../console/lldb/Breakpoints.ts"

interface Filter {
  readonly filter: string
  readonly label: string
  readonly place: Lldb.Place
}

/** The exception filters. */
const filters: ReadonlyArray<Filter> = [
  { filter: "cpp_catch", label: "C++ Catch", place: { kind: "exception", language: "c++", on: "catch" } },
  { filter: "cpp_throw", label: "C++ Throw", place: { kind: "exception", language: "c++", on: "throw" } },
  { filter: "objc_catch", label: "Objective-C Catch", place: { kind: "exception", language: "objc", on: "catch" } },
  { filter: "objc_throw", label: "Objective-C Throw", place: { kind: "exception", language: "objc", on: "throw" } }
]

/** The requests about breakpoints. */
export interface Breakpoints extends Pick<Backend.Connection, "setBreakpoints" | "lines" | "filters"> {
  /** Reports the locations of a breakpoint that LLDB has resolved. */
  readonly resolved: (debuggerId: number) => Effect.Effect<void, Backend.Failure>
}

/** What a connection provides. */
export interface Options {
  readonly events: Translator
  readonly ids: BreakpointIds
  readonly listener: Backend.Listener
}

/** Makes the breakpoints of one console. */
export const make = (console: Console, { events, ids, listener }: Options): Breakpoints => {
  const lists = LldbBreakpoints.make({ command: console.text, ids, watchIds: events.watchIds, major: console.major })

  const exceptions = Effect.fnUntraced(function* (wanted: ReadonlyArray<Backend.BreakpointRequest>) {
    const known = wanted.flatMap((one) => {
      const found = filters.find(({ filter }) => filter === one.filter)
      return found === undefined ? [] : [{ ...one, ...found }]
    })
    const placed = yield* lists.exceptions(known)
    events.filters = known.map(({ filter, id, label }) => ({ id, filter, label }))
    return wanted.map(
      (one): Backend.Placement =>
        placed
          .filter(({ id }) => id === one.id)
          .map((placement): Backend.Placement => ({ ...placement, locations: [], unsupported: ["log"] }))[0] ?? {
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
    resolved: Effect.fnUntraced(function* (debuggerId) {
      const id = ids.managerIdOf(debuggerId)
      if (id === undefined) return
      const locations = Parse.breakpointPlaces(yield* console.text(`breakpoint list -v ${debuggerId}`))
      if (locations.length > 0 && ids.setResolved(id, true)) listener.placed({ id, resolved: true, locations })
    })
  }
}
