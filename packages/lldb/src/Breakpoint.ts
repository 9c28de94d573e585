/**
 * Commands for breakpoints and watchpoints, and parsers of their output in LLDB 13 to 23.
 */
import * as Result from "effect/Result"
import { command, type Refused } from "./Command.ts"

/** The place of a breakpoint. */
export type Place =
  | { readonly kind: "address"; readonly expression: string; readonly module?: string }
  | { readonly kind: "regex"; readonly pattern: string; readonly ignoreCase: boolean }
  | { readonly kind: "function"; readonly name: string; readonly file?: string; readonly module?: string }
  | {
      readonly kind: "line"
      readonly file: string
      readonly line: number
      readonly column?: number
      /** The modules that are searched for the line; absent for all of the program. */
      readonly modules?: ReadonlyArray<string>
    }
  | { readonly kind: "exception"; readonly language: "c++" | "objc"; readonly on: "throw" | "catch" }

/** Options of a breakpoint; `hits` is the first hit that stops. */
export interface Options {
  readonly condition?: string
  readonly hits?: number
  /** Whether it uses a debug register. */
  readonly hardware?: boolean
}

/** A watchpoint: its address, its size in bytes, and the accesses that stop. */
export interface Watch {
  readonly address: string
  readonly size: number
  readonly access: "write" | "read" | "access"
}

/** Returns a case-insensitive pattern: LLDB has no flag for it, so letters outside of brackets and escapes become classes. */
const eitherCase = (pattern: string): string =>
  pattern.replace(/\\.|\[[^\]]*\]|[A-Za-z]/g, (part) =>
    /^[A-Za-z]$/.test(part) ? `[${part.toLowerCase()}${part.toUpperCase()}]` : part
  )

const placeWords = (place: Place): readonly [words: string, args: ReadonlyArray<string>] => {
  switch (place.kind) {
    case "address":
      return ["breakpoint set -a", [place.expression]]
    case "regex":
      return ["breakpoint set -r", [place.ignoreCase ? eitherCase(place.pattern) : place.pattern]]
    case "function":
      return ["breakpoint set -n", [place.name]]
    case "line":
      return [
        `breakpoint set -l ${place.line}${place.column === undefined ? "" : ` -u ${place.column}`} -f`,
        [place.file]
      ]
    case "exception":
      return [`breakpoint set -E ${place.language} -w ${place.on === "throw"} -h ${place.on === "catch"}`, []]
  }
}

/** Builds `breakpoint set`. */
export const set = (place: Place, options: Options, major: number): Result.Result<string, Refused> =>
  Result.gen(function* () {
    let line = yield* command(...placeWords(place), major)
    if (place.kind === "function" && place.file !== undefined) line += yield* command(" -f", [place.file], major)
    if ((place.kind === "function" || place.kind === "address") && place.module !== undefined)
      line += yield* command(" -s", [place.module], major)
    for (const module of place.kind === "line" ? (place.modules ?? []) : [])
      line += yield* command(" -s", [module], major)
    if (options.condition !== undefined) line += yield* command(" -c", [options.condition], major)
    if (options.hardware === true) line += " -H"
    if (options.hits !== undefined) line += ` -i ${Math.max(0, options.hits - 1)}`
    return line
  })

/** Builds `breakpoint modify`; without a condition the old one is removed. */
export const modify = (id: number, options: Options, major: number): Result.Result<string, Refused> =>
  Result.map(
    command("breakpoint modify -c", [options.condition ?? ""], major),
    (line) => `${line} -i ${Math.max(0, (options.hits ?? 1) - 1)} ${id}`
  )

const accessWords = { write: "write", read: "read", access: "read_write" } as const

/**
 * Builds `watchpoint set expression`. LLDB compiles the address as an expression of the frame, in C++ with the class of a member function,
 * which crashes LLDB 19 for some classes; in Objective-C without it.
 */
export const watch = (watchpoint: Watch, major: number): Result.Result<string, Refused> => {
  const { access, address, size } = watchpoint
  if (!/^0x[0-9a-f]+$/i.test(address)) return Result.fail({ _tag: "Refused", text: address })
  const language = major < 19 ? "" : " -l objective-c"
  return Result.succeed(`watchpoint set expression -w ${accessWords[access]} -s ${size}${language} -- ${address}`)
}

/**
 * Builds a command of LLDB's Python that watches an address. It prints what `watchpoint set expression` prints. That command makes
 * the program allocate memory, which moves the libraries that are loaded later.
 */
export const watchAddress = ({ access, address, size }: Watch, major: number): Result.Result<string, Refused> => {
  if (!/^0x[0-9a-f]+$/i.test(address) || access !== "write") return Result.fail({ _tag: "Refused", text: address })
  const target = "lldb.debugger.GetSelectedTarget()"
  const make =
    major < 17
      ? `w = ${target}.WatchAddress(${address}, ${size}, False, True, e)`
      : `o = lldb.SBWatchpointOptions(); o.SetWatchpointTypeWrite(lldb.eWatchpointWriteTypeAlways); w = ${target}.WatchpointCreateByAddress(${address}, ${size}, o, e)`
  const print = `print("Watchpoint created: Watchpoint %d:" % w.GetID() if w.IsValid() else "error: " + str(e))`
  return Result.succeed(`script e = lldb.SBError(); ${make}; ${print}`)
}

/** Builds `watchpoint modify`; without a condition the old one is removed. */
export const modifyWatch = (id: number, condition: string | undefined, major: number): Result.Result<string, Refused> =>
  Result.map(command("watchpoint modify -c", [condition ?? ""], major), (line) => `${line} ${id}`)

/** Builds `watchpoint ignore`, which skips the hits before the one of this number. LLDB counts them. */
export const ignoreWatch = (id: number, hits: number): string => `watchpoint ignore -i ${Math.max(0, hits - 1)} ${id}`

/** Parses the hit count in the output of `watchpoint list -v ID`. */
export const watchHits = (output: string): number | undefined => {
  const count = /\bhit_count = (\d+)/.exec(output)?.[1]
  return count === undefined ? undefined : Number(count)
}

/**
 * Builds a breakpoint at the first instruction of functions. Methods of the same names match, too. A pattern instead of names would
 * make LLDB demangle every symbol, which takes seconds in C++ programs.
 */
export const atEntries = (names: ReadonlyArray<string>, major: number): Result.Result<string, Refused> =>
  Result.gen(function* () {
    let line = "breakpoint set -K false"
    for (const name of names) line += yield* command(" -n", [name], major)
    return line
  })

/** Parses the output of `breakpoint set`: the id, and whether the breakpoint has a location. */
export const created = (output: string): { readonly id: number; readonly pending: boolean } | undefined => {
  const [, id, rest] = /^Breakpoint (\d+): (.*)$/m.exec(output) ?? []
  return id === undefined ? undefined : { id: Number(id), pending: /no locations/.test(rest ?? "") }
}

/** The one location of a new breakpoint, as `breakpoint set` prints it. */
export interface CreatedAt {
  /** The name of the module, without its folder. */
  readonly module: string
  readonly function: string
  readonly address: bigint
  readonly line: number
  readonly column?: number
}

/** Parses the location in the output of `breakpoint set`; undefined if there are several, or if it is in inlined code. */
export const createdAt = (output: string): CreatedAt | undefined => {
  const [, module, called, line, column, address] =
    /^Breakpoint \d+: where = ([^`]+)`(.+) at .+?:(\d+)(?::(\d+))?, address = (0x[\da-f]+)$/im.exec(output) ?? []
  if (module === undefined || line === undefined || address === undefined) return undefined
  if (called?.includes("[inlined]") === true) return undefined
  return {
    module,
    function: called?.replace(/ \+ \d+$/, "") ?? "",
    address: BigInt(address),
    line: Number(line),
    ...(column === undefined ? {} : { column: Number(column) })
  }
}

/** Parses the id in the output of `watchpoint set`. */
export const watchCreated = (output: string): number | undefined => {
  const id = /^Watchpoint created: Watchpoint (\d+):/m.exec(output)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** Parses the number of hardware watchpoints in the output of `watchpoint list`. */
export const watchSlots = (output: string): number | undefined => {
  const count = /supported hardware watchpoints: (\d+)/.exec(output)?.[1]
  return count === undefined ? undefined : Number(count)
}

/** A row of a line table. */
export interface Row {
  readonly address: string
  readonly file: string
  readonly line: number
  readonly column?: number
}

/** Parses the rows of `image dump line-table`; those without a line are skipped. */
export const lineTable = (output: string): ReadonlyArray<Row> =>
  output.split("\n").flatMap((text) => {
    const [, address, file, line, column] = /^(0x[0-9a-f]+): (.+?):(\d+)(?::(\d+))?\s*$/i.exec(text) ?? []
    if (address === undefined || file === undefined || line === undefined || line === "0") return []
    return [{ address, file, line: Number(line), ...(column === undefined ? {} : { column: Number(column) }) }]
  })

/** LLDB's text about a condition that fails to evaluate; it is printed with the stop that follows. */
export const conditionError = (text: string): { readonly id: number; readonly problem: string } | undefined => {
  const [, id, rest] =
    /error evaluating condition of breakpoint (\d+)\.\d+: "[^\n]*"\n(?:Couldn't parse conditional expression:\n)?(.*)/s.exec(
      text
    ) ?? []
  return id === undefined || rest === undefined ? undefined : { id: Number(id), problem: rest }
}
