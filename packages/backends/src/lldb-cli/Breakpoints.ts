/**
 * Sets all breakpoints of one LLDB command line: lines, functions, other places, watchpoints, exceptions.
 *
 * Exception filters have the names and labels of lldb-dap, so that both backends show the same.
 */
import type { Breakpoint as Lldb } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { BreakpointIds } from "../console/BreakpointIds.ts"
import type { Translator } from "../dap/events/Events.ts"
import type { Console } from "./Console.ts"
import type { Prologues, StepEnds as Ends } from "../console/Dialect.ts"
import * as BeforeResume from "../console/lldb/resume/BeforeResume.ts"
import * as PathRecorder from "../console/lldb/PathRecorder.ts"
import * as Tracer from "../console/lldb/Tracer.ts"
import * as EndFacts from "../dap/stops/EndFacts.ts"
import * as ForkFacts from "../dap/stops/ForkFacts.ts"
import * as LldbBreakpoints from "../console/lldb/breakpoints/Breakpoints.ts"
import * as LldbPrologues from "../console/lldb/breakpoints/Prologues.ts"
import * as StepEnds from "../console/lldb/resume/StepEnds.ts"

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
export interface Breakpoints extends Pick<
  Backend.Connection,
  "setBreakpoints" | "addBreakpoints" | "lines" | "filters"
> {
  /** Prepares the threads of a stopped program for a resume. */
  readonly beforeResume: ReturnType<typeof BeforeResume.make>
  /** Prepares watchpoints and threads that faulted for a resume. */
  readonly resuming: (how: Backend.Resume, thread: number, frame?: number) => Effect.Effect<void>
  readonly stepEnds: Ends
  /** Binds all breakpoints again after libraries were loaded, and reports those that changed. */
  readonly resolved: Effect.Effect<void, Backend.Failure>
  readonly prologues: Prologues
  /** Returns what LLDB knows of the code at an address. */
  readonly lookUp: (address: string) => Effect.Effect<string, Backend.Failure>
  readonly tracer: Tracer.LldbTracer
  readonly paths: PathRecorder.LldbPathRecorder
  /** Reports what was recorded before a stop, and the child that is debugged; undefined if there is nothing to ask for. */
  readonly beforeStop: () => Effect.Effect<void> | undefined
}

/** The parts of a connection that this module uses. */
export interface Options {
  readonly events: Translator
  readonly ids: BreakpointIds
  /** True if LLDB follows the children of the program. */
  readonly follows: boolean
}

/** Makes the breakpoints of one console. */
export const make = (console: Console, { events, follows, ids }: Options): Breakpoints => {
  const placed = (placement: Backend.Placement) => events.placed(placement)
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

  const paths = PathRecorder.make((line) => console.text(line))
  const tracer = Tracer.make((line) => console.text(line), ids, events.listener)
  events.beforeEnd = EndFacts.make(lists, events.listener, follows, tracer.keep, paths.keep)
  const beforeResume = BeforeResume.make({ text: (line) => console.text(line), lastStop: () => events.lastStop })
  const stepEnds = StepEnds.make((line, frame) => console.text(line, frame))
  const forked = ForkFacts.make(lists.children, events.listener, follows)

  return {
    tracer,
    paths,
    beforeStop: () => {
      const [logged, children] = [tracer.stopping(), forked(undefined, { continues: 0 })]
      return logged === undefined ? children : Effect.andThen(logged, children ?? Effect.void)
    },
    lookUp: lists.lookUp,
    beforeResume,
    resuming: (how, thread, frame) =>
      Effect.all([beforeResume(how, thread), stepEnds.resuming(how, thread, frame), lists.resuming(how)], {
        discard: true
      }),
    stepEnds,
    setBreakpoints: set,
    addBreakpoints: (group, added) =>
      group.kind === "source" ? lists.addToSource(group.path, added) : Effect.succeed(undefined),
    lines: lists.lines,
    filters: Effect.succeed(filters.map(({ filter, label }) => ({ filter, label, conditions: true }))),
    resolved: Effect.map(lists.refresh, (changed) => changed.forEach(placed)),
    prologues: LldbPrologues.make({
      command: console.text,
      formatted: console.formatted,
      functions: lists.code,
      placed,
      refresh: lists.refresh
    })
  }
}
