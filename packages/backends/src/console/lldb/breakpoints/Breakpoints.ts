/**
 * Sets breakpoints by LLDB commands. The backend lldb-cli sets all its breakpoints this way. The backend dap sets only those
 * that DAP cannot (patterns, addresses, functions of one file or module, watchpoints), and those that are added to long lists.
 *
 * Each breakpoint is set by its own command and remembered. For a new list, only the differences from the old one are sent.
 */
import { Breakpoint as Lldb, Command, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as BreakpointCreation from "./BreakpointCreation.ts"
import * as BreakpointList from "./BreakpointList.ts"
import * as BreakpointReasons from "./BreakpointReasons.ts"
import * as BoundBreakpoint from "./BoundBreakpoint.ts"
import * as EntryBreakpoints from "./EntryBreakpoints.ts"
import * as CodeLookups from "./CodeLookups.ts"
import * as FileModules from "./FileModules.ts"
import * as FunctionEntries from "./FunctionEntries.ts"
import * as IndirectFunctions from "./IndirectFunctions.ts"
import * as WatchConditions from "./WatchConditions.ts"
import * as Watchpoints from "./Watchpoints.ts"

/** The binding of a breakpoint that was set elsewhere. */
const boundOf = (binding: BoundBreakpoint.Binding) => ({
  locations: binding.locations,
  ...(binding.refused === undefined ? {} : { refused: binding.refused }),
  unsupported: BoundBreakpoint.unsupportedOf(binding)
})

/** Sets a watchpoint; `used` is the number of debug registers that others have. The manager decides about its hits. */
const setWatch = Effect.fnUntraced(function* (
  options: BreakpointCreation.Options,
  wanted: Backend.BreakpointRequest,
  used: number
): Effect.fn.Return<BreakpointList.Known, Backend.Failure> {
  const watch = wanted.watch ?? { address: "0x0", size: 0, access: "write" as const }
  const { ids, text } = yield* Watchpoints.set(options, watch)
  const [id, ...further] = ids
  const base = { id: wanted.id, by: "debugger-command", unsupported: Watchpoints.unsupported } as const
  if (id === undefined) {
    const slots = Lldb.watchSlots(yield* options.command("watchpoint list"))
    const reason = BreakpointReasons.whyNoWatchpoint(text, used, slots)
    return { debuggerId: -1, options: "", placement: { ...base, resolved: false, locations: [], reason } }
  }
  options.watchIds.setAll(wanted.id, ids, true)
  return {
    debuggerId: id,
    further,
    options: "",
    placement: { ...base, resolved: true, locations: [{ address: watch.address }] }
  }
})

/** Sets a watchpoint, unless LLDB already has it. */
const setNewWatch = Effect.fnUntraced(function* (
  options: BreakpointCreation.Shared,
  watches: Map<number, BreakpointList.Known>,
  wanted: Backend.BreakpointRequest
) {
  const before = watches.get(wanted.id)
  if (before !== undefined && before.debuggerId >= 0) return before.placement
  const used = [...watches.values()].filter(({ debuggerId }) => debuggerId >= 0)
  const made = yield* setWatch(
    options,
    wanted,
    used.reduce((sum, { further = [] }) => sum + 1 + further.length, 0)
  )
  watches.set(wanted.id, made)
  return made.placement
})

const nowhere: Lldb.Place = { kind: "address", expression: "0" }

const lineIn =
  (file: string) =>
  ({ column, line = 0 }: Backend.BreakpointRequest): Lldb.Place => ({
    kind: "line",
    file,
    line,
    ...(column === undefined ? {} : { column })
  })

const onFunction = ({ function: name = "" }: Backend.BreakpointRequest): Lldb.Place => ({ kind: "function", name })

const special: BreakpointList.Kind = { place: ({ at }) => at ?? nowhere, common: { by: "debugger-command" } }

const repeatedKey = (group: Backend.Group) => (group.kind === "source" ? `repeated ${group.path}` : "repeated")

const repeated = (group: Backend.Group): BreakpointList.Kind => ({
  place: group.kind === "source" ? lineIn(group.path) : onFunction,
  common: { by: "debugger-command" }
})

/** Makes the lists of breakpoints of one connection. */
export const make = (given: BreakpointCreation.Options) => {
  const { command, ids, major } = given
  const functions = FunctionEntries.make(given)
  const entries = EntryBreakpoints.make({ command, functions, ids, major })
  const modules = FileModules.make({ command, major })
  const lookups = CodeLookups.make({ command, isKept: entries.seesLibraries })
  const options: BreakpointCreation.Shared = { ...given, functions, entries, modules, last: { id: 0 } }
  // Modules that were loaded are seen after a list was set, not meanwhile.
  const alone = Semaphore.makeUnsafe(1)
  const watches = new Map<number, BreakpointList.Known>()
  const conditions = WatchConditions.make(given)
  const lists = new Map<string, Map<number, BreakpointList.Known>>()

  const listOf = (key: string) => {
    const list = lists.get(key) ?? new Map<number, BreakpointList.Known>()
    lists.set(key, list)
    return list
  }
  const setList = (key: string, wanted: ReadonlyArray<Backend.BreakpointRequest>, kind: BreakpointList.Kind) =>
    Effect.suspend(() => BreakpointList.replace(options, listOf(key), wanted, kind)).pipe(alone.withPermit)
  const addTo = (key: string, added: ReadonlyArray<Backend.BreakpointRequest>, kind: BreakpointList.Kind) =>
    Effect.suspend(() => BreakpointList.add(options, listOf(key), added, kind)).pipe(alone.withPermit)

  return {
    /** Sets the list of patterns, addresses and functions of one file or module. */
    special: (wanted: ReadonlyArray<Backend.BreakpointRequest>) => setList("special", wanted, special),

    /** Sets the list of one file. */
    source: (file: string, wanted: ReadonlyArray<Backend.BreakpointRequest>) =>
      setList(`source ${file}`, wanted, { place: lineIn(file), common: {} }),

    /** Adds breakpoints to the list of one file. */
    addToSource: (file: string, added: ReadonlyArray<Backend.BreakpointRequest>) =>
      addTo(`source ${file}`, added, { place: lineIn(file), common: {} }),

    /** Sets the breakpoints of a file or of functions that the adapter's own list does not contain. */
    repeated: (group: Backend.Group, wanted: ReadonlyArray<Backend.BreakpointRequest>) =>
      setList(repeatedKey(group), wanted, repeated(group)),

    /** Adds breakpoints to those that the adapter's own list does not contain. */
    addRepeated: (group: Backend.Group, added: ReadonlyArray<Backend.BreakpointRequest>) =>
      addTo(repeatedKey(group), added, repeated(group)),

    /** True if a breakpoint at a line of a file is set by a command faster than by a list. */
    isQuick: (file: string) => entries.seesLibraries() && functions.knows(file),

    /** Sets the list of functions. */
    functions: (wanted: ReadonlyArray<Backend.BreakpointRequest>) =>
      setList("function", wanted, { place: onFunction, common: {} }),

    /** Sets the list of exception breakpoints. */
    exceptions: (wanted: ReadonlyArray<Backend.BreakpointRequest & { readonly place: Lldb.Place }>) =>
      setList("exception", wanted, {
        place: (one) => wanted.find(({ id }) => id === one.id)?.place ?? nowhere,
        common: {}
      }),

    /** Prepares function breakpoints that are set elsewhere; returns the functions on which none can be set now. */
    prepare: (names: ReadonlyArray<string>) => IndirectFunctions.prepare(options, names),

    /** Sets the list of watchpoints. */
    watch: Effect.fnUntraced(function* (wanted: ReadonlyArray<Backend.BreakpointRequest>) {
      yield* BreakpointList.removeOthers(options, watches, wanted, "watchpoint delete")
      const placements = yield* Effect.forEach(wanted, (one) => setNewWatch(options, watches, one))
      conditions.set(wanted)
      return placements
    }),

    /** Prepares the watchpoints for a resume. */
    resuming: conditions.resuming,

    /** Examines where LLDB bound breakpoints that were set elsewhere, and moves them if they are wrong. */
    bind: (requests: ReadonlyArray<EntryBreakpoints.Request>) =>
      Effect.map(entries.bindAll(requests), (bindings) => bindings.map(boundOf)),

    /** Remembers a breakpoint that was set elsewhere and for which LLDB has no location yet. */
    track: (wanted: Backend.BreakpointRequest, debuggerId: number) =>
      Effect.map(entries.bind({ wanted, debuggerId, listed: [] }), boundOf),

    /** Removes what `bind` added for a breakpoint. */
    release: entries.release,

    /** Binds all breakpoints again after libraries were loaded; returns those that changed. */
    refresh: Effect.gen(function* () {
      modules.forget()
      lookups.forget()
      const widened: Array<Backend.Placement> = []
      for (const list of lists.values()) widened.push(...(yield* BreakpointList.widen(options, list)))
      return [...widened, ...(yield* entries.refresh)]
    }).pipe(alone.withPermit),

    /** Returns a request for the passes of breakpoints with a condition or a count; undefined if there are none. */
    passes: entries.passes,

    /** Returns a request for the children that the program forked; undefined if LLDB follows none and there is no breakpoint. */
    children: (follows: boolean) =>
      ids.isEmpty && !follows
        ? undefined
        : Effect.map(command(Parse.packetHistory), (text) => Parse.forkedChildren(text)),

    /** Returns what LLDB knows of the code at an address. */
    lookUp: lookups.text,

    /** Facts about the functions of the program. */
    code: functions,

    /** Lines of a file that have code. */
    lines: Effect.fnUntraced(function* (file: string) {
      const name = file.split("/").at(-1) ?? file
      const rows = Lldb.lineTable(
        yield* Watchpoints.run({ command }, Command.command("image dump line-table", [name], major))
      )
      const suffix = file.replace(/^\.\//, "")
      return rows
        .filter((row) => row.file === suffix || row.file.endsWith(`/${suffix}`))
        .map(({ address, column, file: path, line }) => ({
          file: path,
          line,
          address,
          ...(column === undefined ? {} : { column })
        }))
    })
  }
}
