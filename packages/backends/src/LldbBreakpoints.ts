/**
 * Breakpoints that lldb-dap cannot set: by pattern, at an address, in one file or module, and watchpoints. They are
 * made on the LLDB command line inside the adapter, one by one; what is set is remembered, and each new list is
 * turned into the commands that lead to it.
 */
import { Breakpoint as Lldb, Command, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BreakpointIds } from "./BreakpointIds.ts"

/** What is needed of a connection. */
export interface Options {
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly ids: BreakpointIds
  readonly watchIds: BreakpointIds
  readonly major: number
}

interface Known {
  readonly theirs: number
  readonly options: string
  readonly placement: Backend.Placement
}

type Built = ReturnType<typeof Command.set>

const optionsOf = ({ condition, hits }: Backend.Wanted) => ({
  ...(condition === undefined ? {} : { condition }),
  ...(hits === undefined ? {} : { hits })
})

const reasons: Readonly<Record<Backend.Special["kind"], string>> = {
  address: "there is no code at that address",
  regex: "no function matches",
  function: "no function of that name there"
}

/** The lists of one connection. */
export const make = ({ command, ids, major, watchIds }: Options) => {
  const special = new Map<number, Known>()
  const watches = new Map<number, Known>()

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

  const setSpecial = Effect.fnUntraced(function* (wanted: Backend.Wanted, at: Backend.Special) {
    const text = yield* run(Lldb.set(at, optionsOf(wanted), major))
    const made = Lldb.created(text)
    const left = wanted.log === undefined ? {} : { left: ["log"] as const }
    const base = { id: wanted.id, by: "debugger-command", ...left } as const
    if (made === undefined) {
      const reason = (Parse.failure(text) ?? text).trim().slice(0, 300)
      return { theirs: -1, placement: { ...base, resolved: false, locations: [], reason } }
    }
    ids.set(wanted.id, made.id, !made.pending)
    const locations = Parse.breakpointPlaces(yield* command(`breakpoint list -v ${made.id}`))
    // Before the program is loaded an address is taken as it is.
    const resolved = locations.length > 0 || (at.kind === "address" && !made.pending)
    const placement: Backend.Placement = resolved
      ? { ...base, resolved, locations }
      : { ...base, resolved, locations, reason: reasons[at.kind] }
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
    const { left: _, ...placement } = before.placement
    return wanted.watch === undefined && wanted.log === undefined
      ? { ...placement, left: [] }
      : { ...placement, left: wanted.watch === undefined ? (["log"] as const) : (["hits", "log"] as const) }
  })

  return {
    /** Sets the list of patterns, addresses and functions of one file or module. */
    special: Effect.fnUntraced(function* (wanted: ReadonlyArray<Backend.Wanted>) {
      yield* dropUnwanted(special, wanted, "breakpoint delete")
      return yield* Effect.forEach(wanted, (one) =>
        keep(special, one, setSpecial(one, one.at ?? { kind: "address", expression: "0" }), (theirs) =>
          Lldb.modify(theirs, optionsOf(one), major)
        )
      )
    }),

    /** Sets the list of watchpoints. */
    watch: Effect.fnUntraced(function* (wanted: ReadonlyArray<Backend.Wanted>) {
      yield* dropUnwanted(watches, wanted, "watchpoint delete")
      return yield* Effect.forEach(wanted, (one) =>
        keep(watches, one, setWatch(one, one.watch ?? { address: "0x0", size: 0, access: "write" }), (theirs) =>
          Lldb.modifyWatch(theirs, one.condition, major)
        )
      )
    }),

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
