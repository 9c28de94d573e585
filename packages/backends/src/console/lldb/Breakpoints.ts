/**
 * Breakpoints on an LLDB command line: all of them where there is nothing else, and inside lldb-dap those that it cannot
 * set: by pattern, at an address, in one file or module, and watchpoints. They are made one by one; what is set is
 * remembered, and each new list is turned into the commands that lead to it.
 */
import { Breakpoint as Lldb, Command, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BreakpointIds } from "../BreakpointIds.ts"
import * as IndirectFunctions from "./IndirectFunctions.ts"

/** What is needed of a connection. */
export interface Options {
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly ids: BreakpointIds
  readonly watchIds: BreakpointIds
  readonly major: number
}

/** What the placements of one list have in common. */
type Common = Pick<Backend.Placement, "by">

interface Known {
  readonly theirs: number
  readonly options: string
  readonly placement: Backend.Placement
}

type Built = ReturnType<typeof Command.set>

const optionsOf = ({ at, condition, hits }: Backend.Wanted) => ({
  ...(at?.hardware === true ? { hardware: true } : {}),
  ...(condition === undefined ? {} : { condition }),
  ...(hits === undefined ? {} : { hits })
})

const reasons: Readonly<Record<Exclude<Lldb.Place["kind"], "line">, string>> = {
  address: "there is no code at that address",
  regex: "no function matches",
  function: "no function of that name there",
  exception: "nothing throws such exceptions"
}

/** A place as the field `at` of `break` names it. */
const placeOf = (at: Backend.Special): string => {
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

/** Why a line has no breakpoint, in the words of any LLDB. */
export const whyNoLine = Effect.fnUntraced(function* (
  { command, major }: Pick<Options, "command" | "major">,
  file: string,
  line: number
) {
  // `source info` would tell too, but takes minutes for a file of 200,000 lines.
  const lookedUp = (words: string, text: string) => {
    const query = Command.command(`image lookup ${words} -l 1 -f`, [text], major)
    return Result.isSuccess(query) ? command(query.success) : Effect.succeed("")
  }
  const nothing = `no code at line ${line} or right after it`
  const known = /match(?:es)? found/
  const name = file.split("/").at(-1) ?? file
  if (!known.test(yield* lookedUp("", name))) return "no debug information names such a file"
  // With a map, a file that is elsewhere is called by another name than its own.
  if (!file.startsWith("/") || known.test(yield* lookedUp("", file))) return nothing
  if (/->/.test(yield* command("settings show target.source-map"))) return nothing
  const text = yield* lookedUp("-v", name)
  const places = [...text.matchAll(/^\s+LineEntry: \[[^)]*\): (\/.*?):\d+(?::\d+)?$/gm)].map(([, path = ""]) => path)
  const other = places.find((path) => path.endsWith(`/${name}`))
  return other === undefined || other === file
    ? nothing
    : `the debug information names ${other}, not this file; see --source-map`
})

/** The lists of one connection. */
export const make = ({ command, ids, major, watchIds }: Options) => {
  const watches = new Map<number, Known>()
  const lists = new Map<string, Map<number, Known>>()

  const listOf = (key: string) => {
    const list = lists.get(key) ?? new Map<number, Known>()
    lists.set(key, list)
    return list
  }

  const run = (built: Built): Effect.Effect<string, Backend.Failure> =>
    Result.isSuccess(built)
      ? command(built.success)
      : Effect.fail(
          new Errors.AdapterError({
            command: "breakpoint",
            detail: `control characters in ${JSON.stringify(built.failure.text)}`
          })
        )

  const dropUnwanted = (known: Map<number, Known>, wanted: ReadonlyArray<Backend.Wanted>, words: string) =>
    Effect.forEach([...known], ([id, { theirs }]) => {
      if (wanted.some((one) => one.id === id)) return Effect.void
      known.delete(id)
      return theirs < 0 ? Effect.void : command(`${words} ${theirs}`)
    })

  const prepare = (at: Lldb.Place): Effect.Effect<ReadonlyArray<string>, Backend.Failure> => {
    if (at.kind === "regex") return IndirectFunctions.prepareMatching({ command, major }, at.pattern, at.ignoreCase)
    return at.kind === "function" ? IndirectFunctions.prepare({ command, major }, [at.name]) : Effect.succeed([])
  }

  const setPlace = Effect.fnUntraced(function* (wanted: Backend.Wanted, at: Lldb.Place, by: Common) {
    const base = { id: wanted.id, ...by }
    if ((yield* prepare(at)).length > 0) {
      return { theirs: -1, placement: { ...base, resolved: false, locations: [], reason: IndirectFunctions.reason } }
    }
    const text = yield* run(Lldb.set(at, optionsOf(wanted), major))
    const made = Lldb.created(text)
    if (made === undefined) {
      const reason = (Parse.failure(text) ?? text).trim().slice(0, 300)
      return { theirs: -1, placement: { ...base, resolved: false, locations: [], reason } }
    }
    ids.set(wanted.id, made.id, !made.pending)
    const list = yield* command(`breakpoint list -v ${made.id}`)
    const locations = Parse.breakpointPlaces(list)
    // LLDB knows the place and set nothing there: no debug register is free, or the debug server uses none.
    if (wanted.at?.hardware === true && locations.length === 0 && /^\s+location = /m.test(list)) {
      yield* command(`breakpoint delete ${made.id}`)
      return yield* new Errors.Unsupported({
        what: "a breakpoint in a debug register",
        by: "this target",
        remedies: [Hint.call("break", { at: placeOf(wanted.at) })]
      })
    }
    // Before the program is loaded an address is taken as it is, and what throws may be in a library to come.
    const early = (at.kind === "address" && !made.pending) || at.kind === "exception"
    const resolved = locations.length > 0 || early
    const placement: Backend.Placement = resolved
      ? { ...base, resolved, locations }
      : {
          ...base,
          resolved,
          locations,
          reason:
            at.kind === "function" && at.file === undefined && at.module === undefined
              ? "no function of that name"
              : at.kind === "line"
                ? yield* whyNoLine({ command, major }, at.file, at.line)
                : reasons[at.kind]
        }
    return { theirs: made.id, placement }
  })

  const setWatch = Effect.fnUntraced(function* (wanted: Backend.Wanted, watch: Backend.Watched) {
    const text = yield* run(Lldb.watch(watch))
    const id = Lldb.watchCreated(text)
    // Counts and messages are kept elsewhere.
    const base = { id: wanted.id, by: "debugger-command", left: ["hits", "log"] } as const
    if (id === undefined) {
      const used = watches.size
      const slots = Lldb.watchSlots(yield* command("watchpoint list"))
      const full = slots !== undefined && used >= slots
      const words = (Parse.failure(text) ?? text).trim().split("\n").at(-1) ?? ""
      const reason = full ? `no hardware slot free (${used} used)` : `size or alignment refused: ${words}`.slice(0, 200)
      return { theirs: -1, placement: { ...base, resolved: false, locations: [], reason } }
    }
    if (wanted.condition !== undefined) yield* run(Lldb.modifyWatch(id, wanted.condition, major))
    watchIds.set(wanted.id, id, true)
    return { theirs: id, placement: { ...base, resolved: true, locations: [{ address: watch.address }] } }
  })

  const keep = Effect.fnUntraced(function* (
    known: Map<number, Known>,
    wanted: Backend.Wanted,
    set: Effect.Effect<Omit<Known, "options">, Backend.Failure>,
    modify: (theirs: number) => Built
  ) {
    const options = JSON.stringify(optionsOf(wanted))
    const before = known.get(wanted.id)
    if (before === undefined || before.theirs < 0) {
      const made: Known = { ...(yield* set), options }
      known.set(wanted.id, made)
      return made.placement
    }
    if (before.options !== options) {
      yield* run(modify(before.theirs))
      known.set(wanted.id, { ...before, options })
    }
    if (before.placement.resolved) return before.placement
    // A library may have brought its place since.
    const locations = Parse.breakpointPlaces(yield* command(`breakpoint list -v ${before.theirs}`))
    if (locations.length === 0) return before.placement
    const { reason: _, ...placement } = { ...before.placement, resolved: true, locations }
    known.set(wanted.id, { theirs: before.theirs, options, placement })
    return placement
  })

  const setList = Effect.fnUntraced(function* (
    list: Map<number, Known>,
    wanted: ReadonlyArray<Backend.Wanted>,
    place: (one: Backend.Wanted) => Lldb.Place,
    by: Common
  ) {
    yield* dropUnwanted(list, wanted, "breakpoint delete")
    return yield* Effect.forEach(wanted, (one) =>
      Effect.map(
        keep(list, one, setPlace(one, place(one), by), (theirs) => Lldb.modify(theirs, optionsOf(one), major)),
        (placement): Backend.Placement => ({ ...placement, left: one.log === undefined ? [] : ["log"] })
      )
    )
  })

  return {
    /** Sets the list of patterns, addresses and functions of one file or module. */
    special: (wanted: ReadonlyArray<Backend.Wanted>) =>
      setList(listOf("special"), wanted, (one) => one.at ?? { kind: "address", expression: "0" }, {
        by: "debugger-command"
      }),

    /** Sets the list of one file. */
    source: (file: string, wanted: ReadonlyArray<Backend.Wanted>) =>
      setList(
        listOf(`source ${file}`),
        wanted,
        ({ column, line = 0 }) => ({ kind: "line", file, line, ...(column === undefined ? {} : { column }) }),
        {}
      ),

    /** Sets the list of functions. */
    functions: (wanted: ReadonlyArray<Backend.Wanted>) =>
      setList(listOf("function"), wanted, (one) => ({ kind: "function", name: one.function ?? "" }), {}),

    /** Sets the list of exceptions, those of no known filter left out. */
    exceptions: (wanted: ReadonlyArray<Backend.Wanted & { readonly place: Lldb.Place }>) =>
      setList(
        listOf("exception"),
        wanted,
        (one) => wanted.find(({ id }) => id === one.id)?.place ?? { kind: "address", expression: "0" },
        {}
      ),

    /** To be asked before breakpoints on functions are set in another way; answers with those that must not be set now. */
    prepare: (names: ReadonlyArray<string>) => IndirectFunctions.prepare({ command, major }, names),

    /** Sets the list of watchpoints. */
    watch: Effect.fnUntraced(function* (wanted: ReadonlyArray<Backend.Wanted>) {
      yield* dropUnwanted(watches, wanted, "watchpoint delete")
      return yield* Effect.forEach(wanted, (one) =>
        keep(watches, one, setWatch(one, one.watch ?? { address: "0x0", size: 0, access: "write" }), (theirs) =>
          Lldb.modifyWatch(theirs, one.condition, major)
        )
      )
    }),

    /** Every place of a breakpoint. */
    places: (theirs: number) => Effect.map(command(`breakpoint list -v ${theirs}`), Parse.breakpointPlaces),

    /** Lines of a file that have code. */
    lines: Effect.fnUntraced(function* (file: string) {
      const name = file.split("/").at(-1) ?? file
      const rows = Lldb.lineTable(yield* run(Command.command("image dump line-table", [name], major)))
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
