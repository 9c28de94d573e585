/**
 * Locations in a program: `Position` is a resolved one, `Location` the grammar of a requested one.
 *
 * A location is a source line if digits follow the last colon (or the last two) and the text before is not `::`. A leading
 * drive letter belongs to the file. A breakpoint spec is `LOCATION [if EXPR] [hits COUNT]`.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"

/** A resolved location. Lines and columns count from 1, `address` is `0x…`, `file` is absolute if known. */
export class Position extends Model.of<Position>()(
  Schema.Struct({
    file: Schema.optionalKey(Schema.String),
    line: Schema.optionalKey(Schema.Int),
    column: Schema.optionalKey(Schema.Int),
    function: Schema.optionalKey(Schema.String),
    module: Schema.optionalKey(Schema.String),
    address: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "Position" })
) {}

/** A requested location. `here` is a line of the current file, `offset` counts lines from the stop. */
export type Location =
  | { readonly kind: "line"; readonly file: string; readonly line: number; readonly column?: number }
  | { readonly kind: "here"; readonly line: number }
  | { readonly kind: "offset"; readonly lines: number }
  | { readonly kind: "function"; readonly name: string; readonly file?: string; readonly module?: string }
  | { readonly kind: "address"; readonly expression: string }
  | { readonly kind: "regex"; readonly pattern: string; readonly ignoreCase: boolean }

/** A location with the condition and the hit count of a breakpoint. */
export interface Spec {
  readonly location: Location
  /** The location as it was written. */
  readonly text: string
  readonly condition?: string
  readonly hits?: string
}

const natural = (text: string): number | undefined => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)

const sourceLine = (text: string): Result.Result<Location, string> | undefined => {
  if (/^.+:-\d+$/s.test(text)) return Result.fail("lines are numbers from 1 to 999999999")
  const match = /^(.+?):(\d+)(?::(\d+))?$/s.exec(text)
  const [, file, lineText, columnText] = match ?? []
  if (file === undefined || lineText === undefined || file.endsWith(":")) return undefined
  const line = natural(lineText)
  const column = columnText === undefined ? undefined : natural(columnText)
  if (line === undefined || line === 0) return Result.fail("lines are numbers from 1 to 999999999")
  if (columnText === undefined) return Result.succeed({ kind: "line", file, line })
  if (column === undefined || column === 0) return Result.fail("columns count from 1")
  return Result.succeed({ kind: "line", file, line, column })
}

const functionName = (text: string): Location => {
  const tick = text.indexOf("`")
  if (tick > 0 && tick < text.length - 1) {
    return { kind: "function", name: text.slice(tick + 1), module: text.slice(0, tick) }
  }
  const file = /^([^\s:[\]()]+\.[A-Za-z][A-Za-z0-9+]*):([^:\d].*)$/.exec(text)
  return file?.[1] !== undefined && file[2] !== undefined
    ? { kind: "function", name: file[2], file: file[1] }
    : { kind: "function", name: text }
}

/** Parses a location. Fails with the problem in a few words. */
export const parse = (input: string): Result.Result<Location, string> => {
  const text = input.trim()
  if (/[\u0000-\u001f\u007f]/.test(text)) return Result.fail("control characters are not allowed")
  if (text === "") return Result.fail("it is empty; write FILE:LINE or a function")
  if (/^\d+$/.test(text)) {
    const line = natural(text)
    return line === undefined || line === 0
      ? Result.fail("lines are numbers from 1 to 999999999")
      : Result.succeed({ kind: "here", line })
  }
  if (/^[+-]\d{1,9}$/.test(text)) return Result.succeed({ kind: "offset", lines: Number(text) })
  if (text.startsWith("*")) {
    const expression = text.slice(1).trim()
    return expression === ""
      ? Result.fail("an address or expression follows *")
      : Result.succeed({ kind: "address", expression })
  }
  const regex = /^\/(.+)\/(i?)$/s.exec(text)
  if (regex?.[1] !== undefined)
    return Result.succeed({ kind: "regex", pattern: regex[1], ignoreCase: regex[2] === "i" })
  if (/^:[^:]/.test(text))
    return Result.fail("the file before the colon is missing; a line of the current file is a number alone")
  if (text.endsWith(":")) return Result.fail("a line or a function follows the colon")
  return sourceLine(text) ?? Result.succeed(functionName(text))
}

/**
 * The parts of `LOCATION [if EXPR] [hits COUNT]` as they are written. `hits` is a keyword only as the last word but one. The
 * patterns begin where a run of spaces begins, and the text has no space at its end, so the time is linear in the text.
 */
export const words = (input: string) => {
  const text = input.trimEnd()
  const hits = /(?<!\s)\s+hits\s+(\S+)$/.exec(text)
  const rest = hits === null ? text : text.slice(0, hits.index)
  const condition = /(?<!\s)\s+if\s+(.*)$/s.exec(rest)
  const place = (condition === null ? rest : rest.slice(0, condition.index)).trim()
  return {
    place,
    ...(condition?.[1] === undefined ? {} : { condition: condition[1] }),
    ...(hits?.[1] === undefined ? {} : { hits: hits[1] })
  }
}

/** Parses `LOCATION [if EXPR] [hits COUNT]`. */
export const parseSpec = (input: string): Result.Result<Spec, string> => {
  const { place, ...options } = words(input)
  if (options.condition === undefined && /\sif$/.test(place)) return Result.fail("an expression follows if")
  return Result.map(parse(place), (location) => ({ location, text: place, ...options }))
}
