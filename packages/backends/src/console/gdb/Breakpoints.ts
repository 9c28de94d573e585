/**
 * Sets breakpoints for which GDB's adapter has no request: at an address, on a function of one file, by pattern, and
 * watchpoints. Also finds every location of a breakpoint, since DAP reports one location only.
 *
 * Each breakpoint is set by its own command and remembered. A pattern is one breakpoint of the manager and several of GDB.
 */
import { RunsCode, type Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Breakpoints } from "../Dialect.ts"
import type { BreakpointIds } from "../BreakpointIds.ts"
import { adapterError, withoutCode } from "../Failures.ts"
import type { Console } from "./Console.ts"
import * as PatternNames from "./PatternNames.ts"
import * as Pattern from "./Pattern.ts"
import * as Scripts from "./Scripts.ts"

interface Known {
  readonly numbers: ReadonlyArray<number>
  readonly options: string
  readonly placement: Backend.Placement
}

const by = { by: "debugger-command" } as const

/** Returns why GDB set no breakpoint. */
const reasonOf = (problem: string, runsCode: true | string): string => {
  const error = adapterError(undefined, "break", problem)
  const found = runsCode === true ? error : withoutCode(error, runsCode)
  return found._tag === "AdapterError" ? found.detail : problem
}

const placeOf = ({ address, file, function: name, line, module }: Scripts.Place): Backend.BreakpointLocation => ({
  ...(file === null ? {} : { file }),
  ...(line === null || line <= 0 ? {} : { line }),
  ...(name === null ? {} : { function: name }),
  ...(module === null ? {} : { module }),
  address
})

const reasons: Readonly<Record<Backend.SpecialPlace["kind"], string>> = {
  line: "there is no code at that line",
  address: "there is no code at that address",
  regex: "no function matches",
  function: "no function of that name there"
}

/** Returns a place as the script reads it: a pattern in the notation of GDB, with its names if they are few. */
const known = (at: Backend.SpecialPlace) =>
  at.kind === "regex"
    ? {
        kind: at.kind,
        pattern: Pattern.basic(at.pattern, at.ignoreCase),
        names: at.ignoreCase ? [] : (PatternNames.of(at.pattern) ?? [])
      }
    : at

/** Makes the breakpoints of one connection. */
export const make = ({ ask }: Console, ids: BreakpointIds): Breakpoints => {
  const lists = { special: new Map<number, Known>(), watch: new Map<number, Known>() }

  const optionsOf = ({ condition, hits }: Backend.BreakpointRequest) => ({
    condition: condition ?? null,
    hits: hits ?? null
  })

  const setSpecial = Effect.fnUntraced(function* (one: Backend.BreakpointRequest) {
    const { at } = one
    const base = { id: one.id, ...by, locations: [] }
    if (at === undefined) return { numbers: [], placement: { ...base, resolved: false, reason: "it has no location" } }
    if (at.kind === "line" || at.hardware === true) {
      const reason = "hardware breakpoints are supported with LLDB only"
      return { numbers: [], placement: { ...base, resolved: false, reason } }
    }
    if (at.kind === "function" && at.module !== undefined) {
      const reason = "GDB does not choose functions by their module"
      return { numbers: [], placement: { ...base, resolved: false, reason } }
    }
    const runsCode = yield* RunsCode.ofCaller
    const given = { at: known(at), calls: runsCode === true, ...optionsOf(one) }
    const { numbers, places, problem } = yield* ask(Scripts.set, given)
    const resolved = places.length > 0
    // GDB counts the hits of each of its breakpoints separately, so the manager counts those of a pattern.
    const unsupported = numbers.length > 1 ? (["hits", "log"] as const) : (["log"] as const)
    const placement: Backend.Placement = resolved
      ? { ...base, resolved, locations: places.map(placeOf), unsupported }
      : { ...base, resolved, reason: problem === null ? reasons[at.kind] : reasonOf(problem, runsCode), unsupported }
    return { numbers, placement }
  })

  const setWatch = Effect.fnUntraced(function* (
    one: Backend.BreakpointRequest,
    others: ReadonlyArray<Backend.BreakpointRequest>
  ) {
    const { address, size, access } = one.watch ?? { address: "0x0", size: 0, access: "write" as const }
    const taken = others.flatMap(({ watch }) => (watch === undefined ? [] : [[watch.address, watch.size]]))
    const { numbers, problem } = yield* ask(Scripts.watch, { address, size, access, taken, ...optionsOf(one) })
    const base = { id: one.id, ...by, unsupported: ["hits", "log"] as const }
    const placement: Backend.Placement =
      problem === null
        ? { ...base, resolved: true, locations: [{ address }] }
        : { ...base, resolved: false, locations: [], reason: problem }
    return { numbers, placement }
  })

  const setList = Effect.fnUntraced(function* (
    kind: keyof typeof lists,
    wanted: ReadonlyArray<Backend.BreakpointRequest>
  ) {
    const list = lists[kind]
    for (const [id, { numbers }] of list) {
      if (wanted.some((one) => one.id === id)) continue
      if (numbers.length > 0) yield* ask(Scripts.remove, { numbers })
      list.delete(id)
      ids.remove(id)
    }
    return yield* Effect.forEach(wanted, (one) =>
      Effect.gen(function* () {
        const options = JSON.stringify(optionsOf(one))
        const before = list.get(one.id)
        if (before === undefined || before.numbers.length === 0) {
          const others = wanted.filter(({ id }) => id !== one.id && (list.get(id)?.numbers.length ?? 0) > 0)
          const made = yield* kind === "watch" ? setWatch(one, others) : setSpecial(one)
          list.set(one.id, { ...made, options })
          ids.setAll(one.id, made.numbers, made.placement.resolved)
          return made.placement
        }
        if (before.options !== options) {
          yield* ask(Scripts.modify, { numbers: before.numbers, ...optionsOf(one) })
          list.set(one.id, { ...before, options })
        }
        if (before.placement.resolved) return before.placement
        // A library that was loaded in the meantime may contain the place.
        const locations = (yield* ask(Scripts.located, { numbers: before.numbers })).map(placeOf)
        if (locations.length === 0) return before.placement
        const { reason: _, ...placement } = { ...before.placement, resolved: true, locations }
        list.set(one.id, { numbers: before.numbers, options, placement })
        return placement
      })
    )
  })

  const lines: Breakpoints["lines"] = (file) => Effect.map(ask(Scripts.lines, { file }), (found) => found.map(placeOf))

  return {
    special: (wanted) => setList("special", wanted),
    watch: (wanted) => setList("watch", wanted),
    lines,
    whyNoLine: (file, line) =>
      Effect.map(
        Effect.orElseSucceed(lines(file), () => []),
        (found) => (found.length > 0 ? `no code at line ${line} or after it` : "no debug information names such a file")
      ),
    // GDB answers no question while the program runs. The location in the DAP response is used then.
    bind: (requests) =>
      Effect.forEach(requests, ({ debuggerId }) =>
        ask(Scripts.located, { numbers: [debuggerId] }).pipe(
          Effect.map((found) => ({ locations: found.map(placeOf) })),
          Effect.catchTag("AdapterError", () => Effect.succeed({ locations: [] }))
        )
      )
  }
}
