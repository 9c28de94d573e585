/**
 * Arrays of C whose length is computed when the program runs. LLDB 19 shows those of gcc with a wrong length, so they are read through
 * an expression that has the true one.
 */
import { Locations } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as ExpressionQueries from "../ExpressionQueries.ts"

/** An array with its true length. */
export interface SizedArray {
  readonly name: string
  /** Its type as LLDB shows it, with wrong lengths. */
  readonly type: string
  /** The lengths of its dimensions, the outermost first. */
  readonly lengths: ReadonlyArray<number>
  /** True for a variable that points to the array. */
  readonly pointer: boolean
}

/** The arrays of a frame, by the name of their variable. */
export type Arrays = ReadonlyMap<string, SizedArray>

/** The arrays of a frame that LLDB misreads. */
export interface Read {
  readonly arrays: Arrays
  /** The names of those whose length cannot be computed. */
  readonly unknown: ReadonlyArray<string>
}

/** Matches an array of characters. Its type is written out, since LLDB shows a text by the name of the type. */
const characters = /^((?:const )?(?:(?:(?:un)?signed )?char|wchar_t|char(?:8|16|32)_t|u?int8_t))\[\d*\]$/

const alias = ({ name }: SizedArray) => `sigtrap_${name}`

/** Returns the statement that declares the type of an array. Only in a declaration LLDB parses `__typeof__` of an expression. */
const declaration = (array: SizedArray): string => {
  if (characters.test(array.type)) return ""
  const { lengths, name, pointer } = array
  const element = `${name}${"[0]".repeat(lengths.length + (pointer ? 1 : 0))}`
  return `typedef __typeof__(${element}) ${alias(array)}${boundsOf(array)}; `
}

const boundsOf = ({ lengths }: SizedArray) => lengths.map((length) => `[${length}]`).join("")

/** Returns the expression that reads an array; its type is declared before. */
const expressionOf = (array: SizedArray): string => {
  const [, character] = characters.exec(array.type) ?? []
  if (character !== undefined) return `(*(${character} (*)${boundsOf(array)})&${array.name})`
  return array.pointer ? `((${alias(array)} *)${array.name})` : `(*(${alias(array)} *)&${array.name})`
}

/** Returns the type of an array with its lengths. */
export const typeOf = (array: SizedArray): string => array.type.replace(/(?:\[\d*\])+/, () => boundsOf(array))

/** Reads the arrays among the variables of a frame, by the output of `Locations.lookupAt`. */
export const read = Effect.fnUntraced(function* (
  command: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>,
  output: string,
  frame: number
): Effect.fn.Return<Read> {
  const arrays = new Map<string, SizedArray>()
  const unknown: Array<string> = []
  for (const [name, { entry, pointer, type }] of Locations.sizedAtRun(output)) {
    const lengths = yield* ExpressionQueries.lengths(command, entry, frame)
    if (lengths === undefined) continue
    const known = lengths.filter((length) => length !== null)
    if (known.length === lengths.length) arrays.set(name, { name, type, lengths: known, pointer })
    else unknown.push(name)
  }
  return { arrays, unknown }
})

/** Matches the names of variables in an expression, and texts and members, which are none. */
const names = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?:\.|->|::)\s*\w+|\b[A-Za-z_]\w*/g

/** True if an expression names an array. */
export const isIn = (expression: string, arrays: Arrays): boolean =>
  arrays.size > 0 && (expression.match(names) ?? []).some((name) => arrays.has(name))

/** Replaces the arrays in an expression, with the declarations that it needs. */
export const inExpression = (expression: string, arrays: Arrays): string => {
  const used = new Set<SizedArray>()
  const replaced = expression.replaceAll(names, (name) => {
    const array = arrays.get(name)
    if (array === undefined) return name
    used.add(array)
    return expressionOf(array)
  })
  return [...used].map(declaration).join("") + replaced
}
