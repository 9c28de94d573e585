/**
 * Asks the Python in LLDB (`python/Loader`) about expressions: what an expression over containers means, whether LLDB can
 * compile one, and which constants and array lengths the debug information has. Without Python in LLDB every answer is unknown.
 */
import { Errors } from "@sigtrap/protocol"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Found } from "../Dialect.ts"
import { adapterError } from "../Failures.ts"
import { failures } from "./Failures.ts"
import { withNumber } from "./Characters.ts"

/** What the commands answer: a path for `frame variable`, an expression that LLDB can compile, a value, or why there is none. */
const Answer = Schema.fromJsonString(
  Schema.Struct({
    path: Schema.optionalKey(Schema.String),
    expression: Schema.optionalKey(Schema.String),
    callers: Schema.optionalKey(Schema.Int),
    value: Schema.optionalKey(Schema.String),
    type: Schema.optionalKey(Schema.String),
    problem: Schema.optionalKey(Schema.String)
  })
)

/** True if an expression may need the formatters: it has an index, a call, a member, or follows a value. */
const isConcerned = (expression: string) =>
  /[[(.]|->|^\s*\*/.test(expression) && !/[\u0000-\u001f\u007f`]/.test(expression)

/**
 * Finds what an expression over containers means, without running code of the program. `text` runs a command and returns its
 * output, also if it failed. Undefined if the expression is another one, or if LLDB has no Python.
 */
export const find = Effect.fnUntraced(function* (
  text: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>,
  expression: string,
  frame: number
): Effect.fn.Return<Found | undefined, Backend.Failure> {
  if (!isConcerned(expression)) return undefined
  const output = yield* text(`sigtrap-read ${expression}`, frame)
  const answer = Option.getOrUndefined(Schema.decodeOption(Answer)(output.trim()))
  if (answer?.problem !== undefined) {
    return yield* new Errors.AdapterError({ command: "frame variable", detail: answer.problem })
  }
  if (answer?.path !== undefined) return { kind: "path", path: answer.path }
  const { type = "", value } = answer ?? {}
  return value === undefined
    ? undefined
    : { kind: "value", value: { name: expression, value: withNumber(value, type), type, handle: 0, expression } }
})

const answered = (expression: string, output: string): Effect.Effect<Found | undefined, Errors.AdapterError> => {
  const answer = Option.getOrUndefined(Schema.decodeOption(Answer)(output.trim())) ?? {}
  const { problem, type = "", value } = answer
  if (problem !== undefined) {
    return Effect.fail(adapterError(failures, "expression", problem))
  }
  if (answer.expression !== undefined) {
    return Effect.succeed({ kind: "expression", expression: answer.expression, callers: answer.callers ?? 0 })
  }
  return Effect.succeed(
    value === undefined
      ? undefined
      : { kind: "value", value: { name: expression, value: withNumber(value, type), type, handle: 0, expression } }
  )
}

/** True if a command can contain an expression. */
const isPlain = (expression: string) => !/[\u0000-\u001f\u007f`]/.test(expression)

/**
 * Returns the value of an expression that LLDB cannot compile, if it consists of scalars, or the expression with numbers in place of
 * enumerators, or with addresses in place of variables, for a calling frame. Fails for others that LLDB cannot compile. Undefined if LLDB
 * can, and without Python.
 */
export const compiled = (
  text: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>,
  expression: string,
  frame: number
): Effect.Effect<Found | undefined, Backend.Failure> =>
  isPlain(expression)
    ? Effect.flatMap(text(`sigtrap-compile ${expression}`, frame), (output) => answered(expression, output))
    : Effect.undefined

/** Returns false if LLDB cannot compile a condition at an address. True if it can, and without Python. */
export const compilesAt = (
  command: (line: string) => Effect.Effect<string, Backend.Failure>,
  address: string,
  condition: string
): Effect.Effect<boolean> =>
  isPlain(condition)
    ? command(`sigtrap-compile-at ${address} ${condition}`).pipe(
        Effect.flatMap((output) => answered(condition, output)),
        Effect.isSuccess
      )
    : Effect.succeed(true)

/** A value in a format, and its type. */
export interface Formatted {
  readonly value: string
  readonly type: string
}

/**
 * Returns an object, an array or a container in a format, such as `{tag:0x78, sizes:{0x1, 0x2}}`. Undefined for a value that LLDB
 * formats itself, for an expression that does not name a variable or a part of one, and without Python.
 */
export const formatted = Effect.fnUntraced(function* (
  command: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>,
  expression: string,
  frame: number,
  format: string
): Effect.fn.Return<Formatted | undefined> {
  const output = yield* Effect.orElseSucceed(command(`sigtrap-format ${format} ${expression}`, frame), () => "")
  const { type = "", value } = Option.getOrUndefined(Schema.decodeOption(Answer)(output.trim())) ?? {}
  return value === undefined ? undefined : { value, type }
})

/** The value of a variable that always has the same. */
export interface Constant {
  readonly value: string
  readonly type: string
}

/** Returns the value of a variable that LLDB does not read, by the number of its entry; undefined if it is unknown, or without Python. */
export const constant = Effect.fnUntraced(function* (
  command: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>,
  entry: string,
  name: string,
  frame: number
): Effect.fn.Return<Constant | undefined> {
  if (!/^\w+$/.test(name)) return undefined
  const output = yield* Effect.orElseSucceed(command(`sigtrap-constant ${entry} ${name}`, frame), () => "")
  const { type = "", value } = Option.getOrUndefined(Schema.decodeOption(Answer)(output.trim())) ?? {}
  return value === undefined ? undefined : { value: withNumber(value, type), type }
})

/** What the command `sigtrap-lengths` answers. */
const Lengths = Schema.fromJsonString(
  Schema.Struct({ lengths: Schema.optionalKey(Schema.Array(Schema.NullOr(Schema.Int))) })
)

/**
 * Returns the lengths of an array that is or is behind a variable, the outermost first, by the number of the variable's entry; null is a
 * length that cannot be computed. Undefined if LLDB reads the lengths, and without Python.
 */
export const lengths = (
  command: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>,
  entry: string,
  frame: number
): Effect.Effect<ReadonlyArray<number | null> | undefined> =>
  command(`sigtrap-lengths ${entry}`, frame).pipe(
    Effect.orElseSucceed(() => ""),
    Effect.map((output) => Option.getOrUndefined(Schema.decodeOption(Lengths)(output.trim()))?.lengths)
  )
