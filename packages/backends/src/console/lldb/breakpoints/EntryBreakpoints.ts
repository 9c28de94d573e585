/**
 * Moves breakpoints to the address where the body of a function begins.
 *
 * LLDB decides where each location of a breakpoint is, and no command moves one. So a location at a wrong address is
 * disabled, and a breakpoint at the right address of the same module takes its place: a companion, with the same condition
 * and count. A breakpoint by module and file address follows the module wherever it is loaded.
 *
 * The rule is in docs/decisions/0023-breakpoints-bind-at-the-body.md.
 */
import { Breakpoint as Lldb, type Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { BreakpointIds } from "../../BreakpointIds.ts"
import * as CommandBatch from "../CommandBatch.ts"
import * as Division from "../values/Division.ts"
import * as EntryRule from "./EntryRule.ts"
import * as ExpressionQueries from "../ExpressionQueries.ts"
import * as EntrySurvey from "./EntrySurvey.ts"
import { readsUnset, type FunctionEntries } from "./FunctionEntries.ts"
import {
  type Binding,
  type Bound,
  bindingOf,
  conditionsOf,
  fresh,
  numbersOf,
  placementOf,
  settled
} from "./BoundBreakpoint.ts"
import * as PassCounts from "./PassCounts.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly ids: BreakpointIds
  readonly major: number
  readonly functions: FunctionEntries
}

/** A breakpoint to examine. `debuggerId` is LLDB's number. */
export interface Request {
  readonly wanted: Backend.BreakpointRequest
  readonly debuggerId: number
  /** The locations if they are known already. */
  readonly listed?: ReadonlyArray<Parse.BreakpointLocation>
  /** LLDB may have added locations. */
  readonly changed?: boolean
}

/** The corrections of one connection. */
export interface EntryBreakpoints {
  /**
   * Examines the locations of breakpoints and moves wrong ones; the bindings are in the order of the requests. Nothing is
   * sent for a breakpoint that has not changed and has locations. The locations of several are read by one command.
   */
  readonly bindAll: (requests: ReadonlyArray<Request>) => Effect.Effect<ReadonlyArray<Binding>, Backend.Failure>
  /** Does the same for one breakpoint. */
  readonly bind: (request: Request) => Effect.Effect<Binding, Backend.Failure>
  /** Removes the companions of a breakpoint that is removed. */
  readonly release: (id: number) => Effect.Effect<void, Backend.Failure>
  /** Examines every breakpoint again after modules were loaded; returns those that changed. */
  readonly refresh: Effect.Effect<ReadonlyArray<Backend.Placement>, Backend.Failure>
  /** True if the program stops whenever it loads libraries, so that `refresh` is called. Known after the first `bindAll`. */
  readonly seesLibraries: () => boolean
  /** Returns a request for the passes of breakpoints with a count; undefined if there are none. */
  readonly passes: () => ReturnType<typeof PassCounts.read>
}

const optionsOf = ({ at, condition, hits }: Backend.BreakpointRequest, counts: boolean): Lldb.Options => ({
  // A command is one line.
  ...(condition === undefined ? {} : { condition: condition.replaceAll(/\s*[\r\n]+\s*/g, " ") }),
  ...(hits === undefined || !counts ? {} : { hits }),
  ...(at?.hardware === true ? { hardware: true } : {})
})

const stopAtLibraries = "settings set target.process.stop-on-sharedlibrary-events true"

/** Returns why LLDB computes a condition wrongly at one of the addresses; undefined if it does not. */
const whyFalse = Effect.fnUntraced(function* (
  { inSplitFrame }: Pick<FunctionEntries, "inSplitFrame">,
  condition: string | undefined,
  { locations }: Binding
) {
  if (condition === undefined) return undefined
  for (const { address, module } of locations) {
    if (address === undefined || module === undefined) continue
    const names = readsUnset({ unset: yield* inSplitFrame(BigInt(address), module) }, condition)
    if (names.length > 0) {
      return `LLDB computes a false value of ${names.join(", ")} in this part of a split function, so the condition cannot be evaluated; break without it`
    }
  }
  return undefined
})

/** Runs a command that was built; does nothing if it could not be built. */
const run = (command: Options["command"], built: ReturnType<typeof Lldb.set>) =>
  Result.isSuccess(built) ? command(built.success) : Effect.succeed("")

/** Returns the condition and the expressions of the message. */
const expressionsOf = ({ condition, log = "" }: Backend.BreakpointRequest) => [
  ...(condition === undefined ? [] : [condition]),
  ...Expression.inMessage(log)
]

/** Returns whether LLDB cannot compile the condition or an expression of the message at one of the addresses. */
const isUncompiled = Effect.fnUntraced(function* (
  { command }: Pick<Options, "command">,
  expressions: ReadonlyArray<string>,
  { locations }: Binding
) {
  for (const { address } of locations) {
    for (const expression of expressions) {
      if (address !== undefined && !(yield* ExpressionQueries.compilesAt(command, address, expression))) return true
    }
  }
  return false
})

/** Lets LLDB's Python resume the program where a condition is false that LLDB itself does not evaluate, as a stop takes far longer. */
const filterHits = Effect.fnUntraced(function* ({ command }: Pick<Options, "command">, one: Bound, isRemoved: boolean) {
  const condition = optionsOf(one.wanted, false).condition ?? ""
  const isFiltered = isRemoved && condition !== "" && !Division.mayDivideByZero(condition)
  if (isFiltered || one.isFiltered) {
    yield* Effect.forEach(
      numbersOf(one),
      (number) => command(`sigtrap-hit-condition ${number} ${isFiltered ? condition : ""}`.trimEnd()),
      { discard: true }
    )
  }
  one.isFiltered = isFiltered
})

/**
 * Disables a breakpoint while its condition reads a value that LLDB gets wrong, and enables it otherwise. Removes a condition that LLDB
 * cannot compile. One that may divide by zero, for which LLDB takes an undefined number, is replaced by a weaker one.
 */
const makeJudge = ({ command, functions, major }: Pick<Options, "command" | "functions" | "major">) =>
  Effect.fnUntraced(function* (one: Bound) {
    const before = one.refused
    const { condition } = one.wanted
    const expressions = expressionsOf(one.wanted)
    const isRemoved = yield* isUncompiled({ command }, expressions, bindingOf(one))
    one.uncompiled = isRemoved || expressions.some(Division.mayDivideByZero)
    if (one.uncompiled) {
      const weaker = isRemoved ? "" : Division.weaker(condition)
      // A count of LLDB would include the hits at which the condition does not hold.
      yield* Effect.forEach(
        numbersOf(one),
        (number) => run(command, Lldb.modify(number, { condition: weaker }, major)),
        {
          discard: true
        }
      )
    }
    yield* filterHits({ command }, one, isRemoved)
    one.refused = yield* whyFalse(functions, condition, bindingOf(one))
    if ((before === undefined) === (one.refused === undefined)) return
    yield* command(`breakpoint ${one.refused === undefined ? "enable" : "disable"} ${numbersOf(one).join(" ")}`)
  })

/** Makes the commands that set and change companions. */
const makeCompanions = ({ command, functions, major }: Pick<Options, "command" | "functions" | "major">) => {
  /** Sets a companion at an address of the module of a location. Returns false if LLDB does not set it. */
  const addCompanion = Effect.fnUntraced(function* (
    { companions, loaded, wanted }: Bound,
    location: Parse.BreakpointLocation,
    address: bigint,
    counts: boolean
  ) {
    const { module } = location
    const code = module === undefined ? undefined : yield* functions.codeAt(address, module)
    if (module === undefined || code === undefined) return false
    const expression = `0x${code.fileAddress.toString(16)}`
    const key = `${module} ${expression}`
    const before = companions.get(key)
    const id =
      before?.id ??
      Lldb.created(
        yield* run(command, Lldb.set({ kind: "address", expression, module }, optionsOf(wanted, counts), major))
      )?.id
    if (id === undefined) return false
    const { row } = code
    const place: Backend.BreakpointLocation = {
      ...(row === undefined ? {} : { file: row.file, line: row.line }),
      ...(row?.column === undefined ? {} : { column: row.column }),
      ...(location.function === undefined ? {} : { function: location.function }),
      module,
      address: `0x${address.toString(16)}`
    }
    companions.set(key, { id, location: place })
    // It has one location.
    if (location.loaded) loaded.set(`${id}.1`, true)
    return true
  })

  const modifyAll = (one: Bound, counts: boolean) =>
    Effect.forEach(
      [...(counts ? [] : [one.debuggerId]), ...[...one.companions.values()].map(({ id }) => id)],
      (id) => run(command, Lldb.modify(id, optionsOf(one.wanted, counts), major)),
      { discard: true }
    )

  return { addCompanion, modifyAll }
}

/** Returns the locations of breakpoints, by LLDB's number of the breakpoint. */
const listOf = ({ command }: Pick<Options, "command">, debuggerIds: ReadonlyArray<number>) =>
  debuggerIds.length === 0
    ? Effect.succeed(EntrySurvey.byBreakpoint(""))
    : Effect.map(CommandBatch.listOf(command, debuggerIds), EntrySurvey.byBreakpoint)

/** Makes the corrections of one connection. */
export const make = ({ command, functions, ids, major }: Options): EntryBreakpoints => {
  const bound = new Map<number, Bound>()
  const alone = Semaphore.makeUnsafe(1)
  const decide = EntryRule.make(functions)
  let isWatching = false
  let seesLibraries = false

  const { addCompanion, modifyAll } = makeCompanions({ command, functions, major })

  /** Applies the decisions about the new locations of a breakpoint. */
  const apply = Effect.fnUntraced(function* ({ decisions, one, others }: EntrySurvey.Survey<Bound>) {
    const before = bindingOf(one)
    for (const { decision, location } of decisions) {
      one.examined.add(EntrySurvey.keyOf(location))
      if (location.loaded) one.loaded.set(location.number, true)
      if (others.includes(location)) {
        if (decision !== "drop")
          yield* addCompanion(one, location, decision === "keep" ? location.address : decision, !before.split)
        continue
      }
      if (decision === "keep") {
        one.kept.set(location.number, location)
        continue
      }
      if (decision !== "drop" && !(yield* addCompanion(one, location, decision, !before.split))) {
        one.kept.set(location.number, location)
        continue
      }
      one.kept.delete(location.number)
      yield* command(`breakpoint disable ${location.number}`)
    }
    ids.setFurther(
      one.wanted.id,
      [...one.companions.values()].map(({ id }) => id)
    )
    if (bindingOf(one).split && one.wanted.hits !== undefined && !before.split) yield* modifyAll(one, false)
  })

  /** Examines the new locations of breakpoints. Returns the breakpoints that have any. */
  const examine = Effect.fnUntraced(function* (all: ReadonlyArray<EntrySurvey.Listed<Bound>>) {
    const surveys = yield* EntrySurvey.make(functions, decide, all)
    yield* Effect.forEach(surveys, apply, { discard: true })
    return surveys.filter(({ decisions }) => decisions.length > 0).map(({ one }) => one)
  })

  const judge = makeJudge({ command, functions, major })

  /** Makes the program stop when it loads libraries, where this connection calls `refresh`. */
  const watchLibraries = Effect.gen(function* () {
    if (isWatching) return
    isWatching = true
    // Elsewhere compilers mark the end of the prologue, and LLDB needs no correction.
    if (!/arch=[^,]*-(?:linux|freebsd)/.test(yield* command("target list"))) return
    yield* command(stopAtLibraries)
    seesLibraries = true
  })

  const remove = Effect.fnUntraced(function* (id: number) {
    const before = bound.get(id)
    const companions = [...(before?.companions.values() ?? [])]
    bound.delete(id)
    ids.setFurther(id, [])
    yield* Effect.forEach(companions, (companion) => command(`breakpoint delete ${companion.id}`), { discard: true })
  })

  /** Remembers the request. Returns the breakpoint, and whether its locations or its condition have to be examined. */
  const accept = Effect.fnUntraced(function* ({ changed = false, debuggerId, wanted }: Request) {
    const options = conditionsOf(wanted)
    const before = bound.get(wanted.id)
    if (before !== undefined && before.debuggerId !== debuggerId) yield* remove(wanted.id)
    const known = bound.get(wanted.id)
    const one: Bound = { ...(known ?? fresh(wanted, debuggerId)), wanted, options }
    bound.set(wanted.id, one)
    const isModified = known !== undefined && known.options !== options
    if (isModified) yield* modifyAll(one, !bindingOf(one).split)
    const mayMove = known === undefined || changed || (one.kept.size === 0 && one.companions.size === 0)
    return { one, mayMove, isModified }
  })

  /** Examines the locations of breakpoints and moves wrong ones. */
  const examineAll = Effect.fnUntraced(function* (requests: ReadonlyArray<Request>) {
    yield* watchLibraries
    const accepted = yield* Effect.forEach(requests, (request) =>
      Effect.map(accept(request), (answer) => ({ ...answer, listed: request.listed }))
    )
    const moving = accepted.filter(({ mayMove }) => mayMove)
    const unread = moving.filter(({ listed }) => listed === undefined).map(({ one }) => one.debuggerId)
    const read = yield* listOf({ command }, unread)
    yield* examine(moving.map(({ listed, one }) => ({ one, listed: listed ?? read.get(one.debuggerId) ?? [] })))
    const judged = accepted.filter(({ isModified, mayMove }) => mayMove || isModified)
    yield* Effect.forEach(judged, ({ one }) => judge(one), { concurrency: EntrySurvey.concurrency, discard: true })
  })

  /** Binds a new breakpoint whose one location is known and stays. Returns false for others, which are examined. */
  const bindKnown = ({ debuggerId, listed = [], wanted }: Request): boolean => {
    const [location, ...others] = listed
    if (!isWatching || location === undefined || others.length > 0 || bound.has(wanted.id)) return false
    if (!EntryRule.isSettled(functions, wanted, location)) return false
    bound.set(wanted.id, settled(wanted, debuggerId, location))
    functions.remember(location)
    ids.setFurther(wanted.id, [])
    return true
  }

  const bindAll = (requests: ReadonlyArray<Request>) =>
    Effect.suspend(() => {
      const left = requests.filter((request) => !bindKnown(request))
      const examined = left.length === 0 ? Effect.void : examineAll(left)
      return Effect.map(examined, () =>
        requests.flatMap(({ wanted }) => {
          const one = bound.get(wanted.id)
          return one === undefined ? [] : [bindingOf(one)]
        })
      )
    }).pipe(alone.withPermit)

  return {
    bindAll,

    bind: (request) =>
      Effect.flatMap(bindAll([request]), ([binding]) =>
        binding === undefined ? Effect.die("a request has no binding") : Effect.succeed(binding)
      ),

    seesLibraries: () => seesLibraries,

    passes: () => PassCounts.read([...bound.values()], command),

    release: (id) => alone.withPermit(remove(id)),

    refresh: Effect.gen(function* () {
      functions.forget()
      if (bound.size === 0) return []
      const listed = EntrySurvey.byBreakpoint(yield* CommandBatch.listOf(command))
      for (const one of bound.values()) {
        const own = numbersOf(one).flatMap((number) => listed.get(number) ?? [])
        const isLoadedAgain = EntrySurvey.forgetMoved(one, own)
        if (!isLoadedAgain || one.refused !== undefined) continue
        const numbers = numbersOf(one).join(" ")
        yield* command(`breakpoint disable ${numbers}`)
        yield* command(`breakpoint enable ${numbers}`)
      }
      const changed = yield* examine(
        [...bound.values()].map((one) => ({ one, listed: listed.get(one.debuggerId) ?? [] }))
      )
      yield* Effect.forEach(changed, judge, { concurrency: EntrySurvey.concurrency, discard: true })
      return changed.map(placementOf)
    }).pipe(alone.withPermit)
  }
}
