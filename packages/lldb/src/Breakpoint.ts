/**
 * Breakpoints and watchpoints on the LLDB command line: commands, and the forms of their answers in LLDB 13 to 23.
 */
import * as Result from "effect/Result"
import { command, type Refused } from "./Command.ts"

/** Where a breakpoint is set by a command. */
export type Place =
  | { readonly kind: "address"; readonly expression: string }
  | { readonly kind: "regex"; readonly pattern: string; readonly ignoreCase: boolean }
  | { readonly kind: "function"; readonly name: string; readonly file?: string; readonly module?: string }
  | { readonly kind: "line"; readonly file: string; readonly line: number; readonly column?: number }
  | { readonly kind: "exception"; readonly language: "c++" | "objc"; readonly on: "throw" | "catch" }

/** What a breakpoint asks for beside its place; `hits` is the first hit that stops. */
export interface Options {
  readonly condition?: string
  readonly hits?: number
  /** In a debug register. */
  readonly hardware?: boolean
}

/** A watchpoint: memory, its size in bytes, the accesses that stop. */
export interface Watch {
  readonly address: string
  readonly size: number
  readonly access: "write" | "read" | "access"
}

/** LLDB's patterns know no flag for it: every letter outside of brackets and escapes becomes a class of two. */
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

/** `breakpoint set`. */
export const set = (place: Place, options: Options, major: number): Result.Result<string, Refused> =>
  Result.gen(function* () {
    let line = yield* command(...placeWords(place), major)
    if (place.kind === "function" && place.file !== undefined) line += yield* command(" -f", [place.file], major)
    if (place.kind === "function" && place.module !== undefined) line += yield* command(" -s", [place.module], major)
    if (options.condition !== undefined) line += yield* command(" -c", [options.condition], major)
    if (options.hardware === true) line += " -H"
    if (options.hits !== undefined) line += ` -i ${Math.max(0, options.hits - 1)}`
    return line
  })

/** `breakpoint modify`; a condition that is left out is taken away. */
export const modify = (id: number, options: Options, major: number): Result.Result<string, Refused> =>
  Result.map(
    command("breakpoint modify -c", [options.condition ?? ""], major),
    (line) => `${line} -i ${Math.max(0, (options.hits ?? 1) - 1)} ${id}`
  )

const accessWords = { write: "write", read: "read", access: "read_write" } as const

/** `watchpoint set expression`. */
export const watch = (wanted: Watch): Result.Result<string, Refused> =>
  /^0x[0-9a-f]+$/i.test(wanted.address)
    ? Result.succeed(
        `watchpoint set expression -w ${accessWords[wanted.access]} -s ${wanted.size} -- ${wanted.address}`
      )
    : Result.fail({ _tag: "Refused", text: wanted.address })

/** `watchpoint modify`; a condition that is left out is taken away. */
export const modifyWatch = (id: number, condition: string | undefined, major: number): Result.Result<string, Refused> =>
  Result.map(command("watchpoint modify -c", [condition ?? ""], major), (line) => `${line} ${id}`)

/** What `breakpoint set` made: its number, and whether it has a place already. */
export const created = (output: string): { readonly id: number; readonly pending: boolean } | undefined => {
  const [, id, rest] = /^Breakpoint (\d+): (.*)$/m.exec(output) ?? []
  return id === undefined ? undefined : { id: Number(id), pending: /no locations/.test(rest ?? "") }
}

/** The number of the watchpoint that `watchpoint set` made. */
export const watchCreated = (output: string): number | undefined => {
  const id = /^Watchpoint created: Watchpoint (\d+):/m.exec(output)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** How many watchpoints the processor has, as `watchpoint list` says. */
export const watchSlots = (output: string): number | undefined => {
  const count = /supported hardware watchpoints: (\d+)/.exec(output)?.[1]
  return count === undefined ? undefined : Number(count)
}

/** One row of a line table. */
export interface Row {
  readonly address: string
  readonly file: string
  readonly line: number
  readonly column?: number
}

/** The rows of `image dump line-table`; those without a line are left out. */
export const lineTable = (output: string): ReadonlyArray<Row> =>
  output.split("\n").flatMap((text) => {
    const [, address, file, line, column] = /^(0x[0-9a-f]+): (.+?):(\d+)(?::(\d+))?\s*$/i.exec(text) ?? []
    if (address === undefined || file === undefined || line === undefined || line === "0") return []
    return [{ address, file, line: Number(line), ...(column === undefined ? {} : { column: Number(column) }) }]
  })

/** LLDB's words about a condition that it cannot evaluate; they come with the stop that follows from it. */
export const conditionError = (text: string): { readonly id: number; readonly problem: string } | undefined => {
  const [, id, rest] =
    /error evaluating condition of breakpoint (\d+)\.\d+: "[^\n]*"\n(?:Couldn't parse conditional expression:\n)?(.*)/s.exec(
      text
    ) ?? []
  return id === undefined || rest === undefined ? undefined : { id: Number(id), problem: rest }
}
