/**
 * The rule where a breakpoint at the beginning of a function belongs (docs/decisions/0023-breakpoints-bind-at-the-body.md), and one
 * at a line of optimized code.
 */
import type { Lookup, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import { isIn, isOptimized, type FunctionEntries, type FunctionEntry } from "./FunctionEntries.ts"

/** The kind of place of a breakpoint; others are not moved. */
const kindOf = ({ at, function: name, line }: Backend.BreakpointRequest) =>
  at?.kind ?? (name !== undefined ? "function" : line !== undefined ? "line" : "other")

const lineOf = ({ at, line }: Backend.BreakpointRequest) => (at?.kind === "line" ? at.line : line)

/** Returns the name of a function without arguments. */
const bareName = (name: string) => name.replace(/\(.*$/s, "")

/** True if a name of a function is the one that was asked for, which may lack its scope. */
const isNamed = (name: string | undefined, wanted: string) => {
  const bare = bareName(name ?? "")
  return bare === wanted || bare.endsWith(`::${wanted}`)
}

/**
 * True if LLDB took a later address of the function for its beginning, in another function that the compiler inlined there. The line
 * of that function is the first one that differs from the line of the function's beginning.
 */
const isInOther = ({ at, function: name }: Backend.BreakpointRequest, code: Lookup.Code) => {
  if (at !== undefined || name === undefined) return false
  const wanted = bareName(name)
  return isNamed(code.function, wanted) && !isNamed(code.inlined, wanted)
}

/** What to do about a location: leave it, drop it, or use another address. */
export type Decision = "keep" | "drop" | bigint

/** True if a location of a line is at the beginning of its function. */
const isOpening = (wanted: number, location: Parse.BreakpointLocation, found: FunctionEntry, lowest: bigint) => {
  if (location.file !== found.file || wanted > found.openingLine) return false
  return location.address === found.entry || location.address === found.ranges[0]?.start || location.address === lowest
}

/** True if the function of each location of a breakpoint is needed to decide about it. */
export const isJudged = (wanted: Backend.BreakpointRequest): boolean => {
  const kind = kindOf(wanted)
  return kind !== "address" && kind !== "other"
}

/**
 * True if a new breakpoint at a line stays at its only location, and that is known without a question to LLDB: the function is known and
 * not optimized, and the location is after its beginning. Conditions and messages have to be compiled.
 */
export const isSettled = (
  { knownAt }: Pick<FunctionEntries, "knownAt">,
  wanted: Backend.BreakpointRequest,
  location: Parse.BreakpointLocation
): boolean => {
  if (kindOf(wanted) !== "line" || wanted.condition !== undefined || wanted.log !== undefined) return false
  const found = knownAt(location.address, location.module)
  return found?.usesFrame === true && !isOpening(lineOf(wanted) ?? 0, location, found, location.address)
}

/** Makes the function that decides about one location of a breakpoint; `all` are the locations of the breakpoint. */
export const make = (functions: Pick<FunctionEntries, "codeAt" | "functionAt" | "rowsAt">) => {
  /** Decides about a location at the beginning of a function. */
  const correct = Effect.fnUntraced(function* (
    location: Parse.BreakpointLocation,
    found: FunctionEntry,
    module: string
  ): Effect.fn.Return<Decision, Backend.Failure> {
    const { body, entry, firstLine, hasParameters, ranges, unset } = found
    if (entry === undefined) return "keep"
    const { address } = location
    const misplaced = entry !== ranges[0]?.start
    if (unset.length === 0 && hasParameters) return misplaced && address !== entry ? entry : "keep"
    if (body === undefined) return misplaced ? entry : "keep"
    if (misplaced) return unset.length > 0 ? body : entry
    if (address === body) return "keep"
    if (address < body) return unset.length > 0 ? body : "keep"
    // A later address is right if the compiler marked it as the end of the prologue: then the row at `body` has another line.
    const row = (yield* functions.codeAt(body, module))?.row
    return row?.line === firstLine ? body : "keep"
  })

  /**
   * Decides about a location of a line in optimized code. LLDB takes the first instruction of a line, also one that the compiler
   * moved elsewhere, such as before a loop. GDB takes the first one where the line table says that a statement begins.
   */
  const atStatement = Effect.fnUntraced(function* (
    { address, file, line, module }: Parse.BreakpointLocation,
    found: FunctionEntry,
    all: ReadonlyArray<Parse.BreakpointLocation>
  ): Effect.fn.Return<Decision, Backend.Failure> {
    // Without optimization every row begins a statement, and the table need not be read.
    if (file === undefined || line === undefined || found.usesFrame) return "keep"
    const code = yield* functions.codeAt(address, module)
    if (code === undefined || code.inlined !== undefined) return "keep"
    if (code.variables.length > 0 && !isOptimized(code)) return "keep"
    const rows = yield* functions.rowsAt(file, line)
    if (rows.find((row) => row.address === address)?.isStatement !== false) return "keep"
    const statement = rows.find((row) => row.isStatement && isIn(found, row.address))?.address
    if (statement === undefined) return "keep"
    return all.some((one) => one.module === module && one.address === statement) ? "drop" : statement
  })

  return Effect.fnUntraced(function* (
    wanted: Backend.BreakpointRequest,
    location: Parse.BreakpointLocation,
    all: ReadonlyArray<Parse.BreakpointLocation>
  ): Effect.fn.Return<Decision, Backend.Failure> {
    const { address, module } = location
    const kind = kindOf(wanted)
    if (module === undefined || !isJudged(wanted)) return "keep"
    const found = yield* functions.functionAt(address, module)
    if (found === undefined) return "keep"
    if (kind === "line") {
      const inFunction = all.filter((one) => one.module === module && isIn(found, one.address))
      const lowest = inFunction.reduce((least, one) => (one.address < least ? one.address : least), address)
      if (!isOpening(lineOf(wanted) ?? 0, location, found, lowest)) return yield* atStatement(location, found, all)
    }
    const code = address === found.entry ? undefined : yield* functions.codeAt(address, module)
    const isAtStart = found.ranges.some(({ start }) => start === address)
    if (code?.inlined !== undefined && !isAtStart && !isInOther(wanted, code)) return "keep"
    return yield* correct(location, found, module)
  })
}
