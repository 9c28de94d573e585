/**
 * Sets breakpoints by LLDB commands. The backend lldb-cli sets all its breakpoints this way. The backend dap sets only those
 * that DAP cannot: patterns, addresses, functions of one file or module, and watchpoints.
 *
 * Each breakpoint is set by its own command and remembered. For a new list, only the differences from the old one are sent.
 */
import { Breakpoint as Lldb, Command, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { BreakpointIds } from "../BreakpointIds.ts"
import * as BreakpointReasons from "./BreakpointReasons.ts"
import * as EntryBreakpoints from "./EntryBreakpoints.ts"
import * as FunctionEntries from "./FunctionEntries.ts"
import * as IndirectFunctions from "./IndirectFunctions.ts"
import * as Watchpoints from "./Watchpoints.ts"

/** What a connection provides. */
export interface Options {
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly ids: BreakpointIds
  readonly watchIds: BreakpointIds
  readonly major: number
}

/** What the lists of a connection share. */
interface Shared extends Options {
  readonly functions: FunctionEntries.FunctionEntries
  readonly entries: EntryBreakpoints.EntryBreakpoints
}

/** The field that all placements of one list have in common. */
type Common = Pick<Backend.Placement, "by">

/** A breakpoint that was sent to LLDB. `debuggerId` is LLDB's number, -1 if LLDB refused it. */
interface Known {
  readonly debuggerId: number
  readonly options: string
  readonly placement: Backend.Placement
}

const optionsOf = ({ at, condition, hits }: Backend.BreakpointRequest) => ({
  ...(at?.hardware === true ? { hardware: true } : {}),
  ...(condition === undefined ? {} : { condition }),
  ...(hits === undefined ? {} : { hits })
})

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
  { split, uncompiled }: EntryBreakpoints.Binding
): NonNullable<Backend.Placement["unsupported"]> => [
  ...((split || uncompiled) && hits !== undefined ? (["hits"] as const) : []),
  ...(log === undefined ? [] : (["log"] as const)),
  ...(uncompiled ? (["condition"] as const) : [])
]

/** The binding of a breakpoint that was set elsewhere. */
const boundOf = (binding: EntryBreakpoints.Binding) => ({
  locations: binding.locations,
  ...(binding.refused === undefined ? {} : { refused: binding.refused }),
  unsupported: EntryBreakpoints.unsupportedOf(binding)
})

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

/** Prepares a function breakpoint; returns the functions on which none can be set now. */
const prepare = (
  options: Pick<Options, "command" | "major">,
  at: Lldb.Place
): Effect.Effect<ReadonlyArray<string>, Backend.Failure> => {
  if (at.kind === "regex") return IndirectFunctions.prepareMatching(options, at.pattern, at.ignoreCase)
  return at.kind === "function" ? IndirectFunctions.prepare(options, [at.name]) : Effect.succeed([])
}

/** Sets a breakpoint at a place. */
const setPlace = Effect.fnUntraced(function* (
  options: Shared,
  wanted: Backend.BreakpointRequest,
  at: Lldb.Place,
  common: Common
): Effect.fn.Return<Omit<Known, "options">, Backend.Failure> {
  const { command, ids, major } = options
  const base = { id: wanted.id, ...common }
  const refused = (reason: string) => ({
    debuggerId: -1,
    placement: { ...base, resolved: false, locations: [], reason }
  })
  if ((yield* prepare(options, at)).length > 0) return refused(IndirectFunctions.reason)
  const text = yield* Watchpoints.run(options, Lldb.set(at, optionsOf(wanted), major))
  const made = Lldb.created(text)
  if (made === undefined) return refused((Parse.failure(text) ?? text).trim().slice(0, 300))
  ids.set(wanted.id, made.id, !made.pending)
  const list = yield* command(`breakpoint list -v ${made.id}`)
  const binding = yield* options.entries.bind({ wanted, debuggerId: made.id, list })
  const { locations } = binding
  const unset =
    binding.refused ?? (at.kind === "address" ? yield* unsetIn(options, wanted.condition, locations) : undefined)
  if (unset !== undefined) {
    yield* options.entries.release(wanted.id)
    yield* command(`breakpoint delete ${made.id}`)
    ids.remove(wanted.id)
    return refused(unset)
  }
  // LLDB found the place and set no breakpoint: no debug register is free, or the debug server does not use them.
  if (wanted.at?.hardware === true && locations.length === 0 && /^\s+location = /m.test(list)) {
    yield* command(`breakpoint delete ${made.id}`)
    return yield* new Errors.Unsupported({
      what: "a breakpoint in a debug register",
      by: "this target",
      remedies: [Hint.call("break", { at: placeOf(wanted.at) })]
    })
  }
  // Before the program is loaded LLDB accepts any address. The code that throws may be in a library that is loaded later.
  const isPlaceable = (at.kind === "address" && !made.pending) || at.kind === "exception"
  const resolved = locations.length > 0 || isPlaceable
  return {
    debuggerId: made.id,
    placement: {
      ...base,
      resolved,
      locations,
      unsupported: unsupportedOf(wanted, binding),
      ...(resolved ? {} : { reason: yield* BreakpointReasons.whyNone(options, at) })
    }
  }
})

/** Sets a watchpoint; `used` is the number of those already set. The manager writes log messages. */
const setWatch = Effect.fnUntraced(function* (
  options: Options,
  wanted: Backend.BreakpointRequest,
  used: number
): Effect.fn.Return<Omit<Known, "options">, Backend.Failure> {
  const watch = wanted.watch ?? { address: "0x0", size: 0, access: "write" as const }
  const quiet = wanted.hits === undefined ? undefined : yield* Watchpoints.setQuietly(options, watch)
  const text = quiet ?? (yield* Watchpoints.run(options, Lldb.watch(watch, options.major)))
  const id = Lldb.watchCreated(text)
  const base = { id: wanted.id, by: "debugger-command", unsupported: Watchpoints.unsupportedOf(wanted) } as const
  if (id === undefined) {
    const slots = Lldb.watchSlots(yield* options.command("watchpoint list"))
    const reason = BreakpointReasons.whyNoWatchpoint(text, used, slots)
    return { debuggerId: -1, placement: { ...base, resolved: false, locations: [], reason } }
  }
  if (wanted.condition !== undefined || wanted.hits !== undefined) yield* Watchpoints.setOptions(options, id, wanted)
  options.watchIds.set(wanted.id, id, true)
  return { debuggerId: id, placement: { ...base, resolved: true, locations: [{ address: watch.address }] } }
})

/** Removes breakpoints that the new list does not contain, by `deleteCommand`. */
const removeOthers = (
  { command, entries }: Shared,
  known: Map<number, Known>,
  wanted: ReadonlyArray<Backend.BreakpointRequest>,
  deleteCommand: string
) =>
  Effect.forEach([...known], ([id, { debuggerId }]) => {
    if (wanted.some((one) => one.id === id)) return Effect.void
    known.delete(id)
    if (debuggerId < 0) return Effect.void
    return Effect.andThen(entries.release(id), command(`${deleteCommand} ${debuggerId}`))
  })

/** Sets a breakpoint, or updates its options if LLDB already has it. */
const setOrUpdate = Effect.fnUntraced(function* (
  options: Shared,
  known: Map<number, Known>,
  wanted: Backend.BreakpointRequest,
  set: Effect.Effect<Omit<Known, "options">, Backend.Failure>,
  modify: (debuggerId: number) => Effect.Effect<unknown, Backend.Failure>,
  bind?: Effect.Effect<EntryBreakpoints.Binding, Backend.Failure>
) {
  const text = JSON.stringify(optionsOf(wanted))
  const before = known.get(wanted.id)
  if (before === undefined || before.debuggerId < 0) {
    const made: Known = { ...(yield* set), options: text }
    known.set(wanted.id, made)
    return made.placement
  }
  if (before.options !== text) {
    const unset =
      wanted.at?.kind === "address" ? yield* unsetIn(options, wanted.condition, before.placement.locations) : undefined
    if (unset !== undefined) return yield* new Errors.AdapterError({ command: "breakpoint", detail: unset })
    yield* modify(before.debuggerId)
  }
  // A library that was loaded in the meantime may contain the place.
  const binding = bind === undefined ? undefined : yield* bind
  if (binding?.refused !== undefined && before.options !== text) {
    return yield* new Errors.AdapterError({ command: "breakpoint", detail: binding.refused })
  }
  const { reason, ...rest } = before.placement
  const found = binding !== undefined && binding.locations.length > 0
  const placement: Backend.Placement = {
    ...rest,
    ...(found ? { resolved: true, locations: binding.locations } : reason === undefined ? {} : { reason }),
    ...(binding === undefined ? {} : { unsupported: unsupportedOf(wanted, binding) })
  }
  known.set(wanted.id, { debuggerId: before.debuggerId, options: text, placement })
  return placement
})

/** Makes the lists of breakpoints of one connection. */
export const make = (given: Options) => {
  const { command, ids, major } = given
  const functions = FunctionEntries.make(given)
  const entries = EntryBreakpoints.make({ command, functions, ids, major })
  const options: Shared = { ...given, functions, entries }
  const watches = new Map<number, Known>()
  const lists = new Map<string, Map<number, Known>>()

  const setList = Effect.fnUntraced(function* (
    key: string,
    wanted: ReadonlyArray<Backend.BreakpointRequest>,
    place: (one: Backend.BreakpointRequest) => Lldb.Place,
    common: Common
  ) {
    const list = lists.get(key) ?? new Map<number, Known>()
    lists.set(key, list)
    yield* removeOthers(options, list, wanted, "breakpoint delete")
    return yield* Effect.forEach(wanted, (one) => {
      const debuggerId = ids.debuggerIdOf(one.id)
      return setOrUpdate(
        options,
        list,
        one,
        setPlace(options, one, place(one), common),
        (known) => Watchpoints.run(options, Lldb.modify(known, optionsOf(one), major)),
        debuggerId === undefined ? undefined : entries.bind({ wanted: one, debuggerId })
      )
    })
  })

  return {
    /** Sets the list of patterns, addresses and functions of one file or module. */
    special: (wanted: ReadonlyArray<Backend.BreakpointRequest>) =>
      setList("special", wanted, (one) => one.at ?? { kind: "address", expression: "0" }, { by: "debugger-command" }),

    /** Sets the list of one file. */
    source: (file: string, wanted: ReadonlyArray<Backend.BreakpointRequest>) =>
      setList(
        `source ${file}`,
        wanted,
        ({ column, line = 0 }) => ({ kind: "line", file, line, ...(column === undefined ? {} : { column }) }),
        {}
      ),

    /** Sets the breakpoints of a file or of functions that share their place with another one. */
    repeated: (group: Backend.Group, wanted: ReadonlyArray<Backend.BreakpointRequest>) =>
      setList(
        group.kind === "source" ? `repeated ${group.path}` : "repeated",
        wanted,
        ({ column, function: name = "", line = 0 }) =>
          group.kind === "source"
            ? { kind: "line", file: group.path, line, ...(column === undefined ? {} : { column }) }
            : { kind: "function", name },
        { by: "debugger-command" }
      ),

    /** Sets the list of functions. */
    functions: (wanted: ReadonlyArray<Backend.BreakpointRequest>) =>
      setList("function", wanted, (one) => ({ kind: "function", name: one.function ?? "" }), {}),

    /** Sets the list of exception breakpoints. */
    exceptions: (wanted: ReadonlyArray<Backend.BreakpointRequest & { readonly place: Lldb.Place }>) =>
      setList(
        "exception",
        wanted,
        (one) => wanted.find(({ id }) => id === one.id)?.place ?? { kind: "address", expression: "0" },
        {}
      ),

    /** Prepares function breakpoints that are set elsewhere; returns the functions on which none can be set now. */
    prepare: (names: ReadonlyArray<string>) => IndirectFunctions.prepare(options, names),

    /** Sets the list of watchpoints. */
    watch: Effect.fnUntraced(function* (wanted: ReadonlyArray<Backend.BreakpointRequest>) {
      yield* removeOthers(options, watches, wanted, "watchpoint delete")
      return yield* Effect.forEach(wanted, (one) =>
        setOrUpdate(
          options,
          watches,
          one,
          Effect.suspend(() => setWatch(options, one, watches.size)),
          (debuggerId) => Watchpoints.setOptions(options, debuggerId, one)
        )
      )
    }),

    /** Examines where LLDB bound breakpoints that were set elsewhere, and moves them if they are wrong. */
    bind: (requests: ReadonlyArray<EntryBreakpoints.Request>) =>
      Effect.map(entries.bindAll(requests), (bindings) => bindings.map(boundOf)),

    /** Remembers a breakpoint that was set elsewhere and for which LLDB has no location yet. */
    track: (wanted: Backend.BreakpointRequest, debuggerId: number) =>
      Effect.map(entries.bind({ wanted, debuggerId, list: "" }), boundOf),

    /** Removes what `bind` added for a breakpoint. */
    release: entries.release,

    /** Binds all breakpoints again after libraries were loaded; returns those that changed. */
    refresh: entries.refresh,

    /** Returns a request for the passes of breakpoints with a condition or a count; undefined if there are none. */
    passes: entries.passes,

    /** Returns a request for the children that the program forked; undefined if there is no breakpoint. */
    children: () =>
      ids.isEmpty ? undefined : Effect.map(command(Parse.packetHistory), (text) => Parse.forkedChildren(text)),

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
