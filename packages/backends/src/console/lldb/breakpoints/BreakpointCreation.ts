/**
 * Sends the commands that set breakpoints: what LLDB answers to one, and in which modules it searches.
 */
import { Breakpoint as Lldb, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BreakpointIds } from "../../BreakpointIds.ts"
import * as AddressCode from "./AddressCode.ts"
import * as BreakpointReasons from "./BreakpointReasons.ts"
import * as CommandBatch from "../CommandBatch.ts"
import type * as EntryBreakpoints from "./EntryBreakpoints.ts"
import type * as FileModules from "./FileModules.ts"
import type * as FunctionEntries from "./FunctionEntries.ts"
import * as IndirectFunctions from "./IndirectFunctions.ts"
import * as Watchpoints from "./Watchpoints.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly ids: BreakpointIds
  readonly watchIds: BreakpointIds
  readonly major: number
}

/** What the lists of a connection share. */
export interface Shared extends Options {
  readonly functions: FunctionEntries.FunctionEntries
  readonly entries: EntryBreakpoints.EntryBreakpoints
  readonly modules: FileModules.FileModules
  /** The highest number that LLDB gave a breakpoint of these lists. */
  readonly last: { id: number }
}

/** Returns what LLDB itself checks at each hit. */
export const optionsOf = ({ at, condition, hits }: Backend.BreakpointRequest) => ({
  ...(at?.hardware === true ? { hardware: true } : {}),
  ...(condition === undefined ? {} : { condition }),
  ...(hits === undefined ? {} : { hits })
})

/** Prepares a function breakpoint; returns the functions on which none can be set now. */
const prepare = (
  options: Pick<Options, "command" | "major">,
  at: Lldb.Place
): Effect.Effect<ReadonlyArray<string>, Backend.Failure> => {
  if (at.kind === "regex") return IndirectFunctions.prepareMatching(options, at.pattern, at.ignoreCase)
  return at.kind === "function" ? IndirectFunctions.prepare(options, [at.name]) : Effect.succeed([])
}

/** The answer to the command that sets a breakpoint: LLDB's number, or why there is none. */
export type Made =
  | {
      readonly kind: "made"
      readonly id: number
      readonly isPending: boolean
      /** The one location of a breakpoint at a line, as LLDB's answer names it. */
      readonly place?: Lldb.CreatedAt
      /** Where LLDB lists it, if that was asked already. */
      readonly listed?: ReadonlyArray<Parse.BreakpointLocation>
    }
  | { readonly kind: "refused"; readonly reason: string }

/** A new breakpoint and its place. */
export interface Fresh {
  readonly wanted: Backend.BreakpointRequest
  readonly at: Lldb.Place
}

/** Returns the place with the modules to search. LLDB's count of hits would begin again if such a breakpoint were set again. */
export const narrowed = Effect.fnUntraced(function* (
  { entries, functions, modules }: Shared,
  fresh: Fresh
): Effect.fn.Return<Fresh, Backend.Failure> {
  const { at, wanted } = fresh
  const isPlain = wanted.hits === undefined && wanted.condition === undefined && wanted.at?.hardware !== true
  if (at.kind !== "line" || !isPlain || !entries.seesLibraries() || !functions.knows(at.file)) return fresh
  const found = yield* modules.toSearch(at.file)
  return found === undefined ? fresh : { wanted, at: { ...at, modules: found } }
})

const fileOf = ({ at }: Fresh): string => (at.kind === "line" ? at.file : "")

/** Returns what LLDB's answer to the command that sets a breakpoint says. */
const madeOf = (options: Shared, { at, wanted }: Fresh, text: string): Made => {
  const made = Lldb.created(text)
  if (made === undefined) {
    const reason = (Parse.failure(text) ?? text).trim().slice(0, 300)
    return { kind: "refused", reason: BreakpointReasons.refused(at, reason) }
  }
  options.ids.set(wanted.id, made.id, !made.pending)
  options.last.id = Math.max(options.last.id, made.id)
  const place = at.kind === "line" ? Lldb.createdAt(text) : undefined
  return { kind: "made", id: made.id, isPending: made.pending, ...(place === undefined ? {} : { place }) }
}

/** Sends the command that sets one breakpoint. `guess` is the number that LLDB is going to give it. */
const create = Effect.fnUntraced(function* (
  options: Shared,
  fresh: Fresh,
  guess: number | undefined
): Effect.fn.Return<Made, Backend.Failure> {
  const { command, functions, major } = options
  const { at, wanted } = fresh
  if ((yield* prepare(options, at)).length > 0) return { kind: "refused", reason: IndirectFunctions.reason }
  const forbidden = at.kind === "address" ? yield* AddressCode.problem(command, at.expression) : undefined
  if (forbidden !== undefined) return { kind: "refused", reason: forbidden }
  const set = Watchpoints.run(options, Lldb.set(at, optionsOf(wanted), major))
  // Both are sent before the first is answered. The second answer is of no use if the guess was wrong.
  const [text, list] =
    guess === undefined || functions.knows(fileOf(fresh))
      ? [yield* set, ""]
      : yield* Effect.all([set, command(`breakpoint list -v ${guess}`)], { concurrency: "unbounded" })
  const made = madeOf(options, fresh, text)
  if (made.kind === "made" && wanted.at?.kind === "regex" && wanted.at.escaping === true) {
    const answer = yield* command(`sigtrap-stop-at-escaping [${made.id}]`).pipe(Effect.orElseSucceed(() => ""))
    if (answer.trim() !== "true") {
      // Without Python the program would stop at each exception.
      yield* command(`breakpoint delete ${made.id}`)
      return { kind: "refused", reason: "this needs an LLDB with Python" }
    }
  }
  return made.kind === "refused" || list === "" || made.id !== guess
    ? made
    : { ...made, listed: Parse.breakpointLocations(list) }
})

/** How many commands that set breakpoints are sent before the first is answered. */
const createdAtOnce = 64

/** Sets breakpoints at lines by few requests and others by one each. */
export const createAll = Effect.fnUntraced(function* (
  options: Shared,
  all: ReadonlyArray<Fresh>
): Effect.fn.Return<ReadonlyMap<Fresh, Result.Result<Made, Backend.Failure>>> {
  const guess = all.length === 1 && options.last.id > 0 ? options.last.id + 1 : undefined
  const lines = (guess === undefined ? all : []).flatMap((fresh) => {
    const built = fresh.at.kind === "line" ? Lldb.set(fresh.at, optionsOf(fresh.wanted), options.major) : undefined
    return built !== undefined && Result.isSuccess(built) ? [{ fresh, line: built.success }] : []
  })
  const texts =
    lines.length === 0
      ? []
      : yield* CommandBatch.run(
          options.command,
          lines.map(({ line }) => line)
        )
  const answers = new Map<Fresh, Result.Result<Made, Backend.Failure>>()
  for (const [index, { fresh }] of lines.entries()) {
    const text = texts[index]
    if (text !== undefined)
      answers.set(
        fresh,
        Result.map(text, (output) => madeOf(options, fresh, output))
      )
  }
  const left = all.filter((fresh) => !answers.has(fresh))
  yield* Effect.forEach(
    left,
    (fresh) => Effect.map(Effect.result(create(options, fresh, guess)), (answer) => answers.set(fresh, answer)),
    // A single one needs no fiber of its own.
    { concurrency: left.length > 1 ? createdAtOnce : 1, discard: true }
  )
  return answers
})

/** Returns the location of a breakpoint that was made, if that is known without a question to LLDB. */
export const knownLocations = (
  { functions }: Shared,
  fresh: Fresh,
  { id, listed, place }: Extract<Made, { readonly kind: "made" }>
): ReadonlyArray<Parse.BreakpointLocation> | undefined => {
  const location = place === undefined ? undefined : functions.located(place, id, fileOf(fresh))
  return location === undefined ? listed : [location]
}
