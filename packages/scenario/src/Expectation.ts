/**
 * Compares the expectation of a step with an actual value.
 *
 * A plain value is compared exactly, except that a number equals the text of a number, because debuggers return values as
 * text. An object whose keys are all comparisons is a comparison, unless the actual value has parts of these names. Any
 * other object names parts by path.
 */
import { Pattern } from "@sigtrap/protocol"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** The comparisons, each with its other names. */
const table = {
  equals: ["equal", "eq", "exact", "is", "=="],
  not: ["ne", "not_equals", "not_equal", "!="],
  contains: ["contain", "includes", "has", "contains_all"],
  contains_any: ["includes_any"],
  excludes: ["not_contains", "not_contain", "does_not_contain", "lacks"],
  regex: ["regexp", "matches", "match", "pattern"],
  not_regex: ["not_matches", "not_match"],
  starts_with: ["prefix"],
  ends_with: ["suffix"],
  one_of: ["in", "any_of"],
  gt: [">", "greater_than", "above"],
  gte: ["ge", ">=", "min", "at_least"],
  lt: ["<", "less_than", "below"],
  lte: ["le", "<=", "max", "at_most"],
  between: ["range"],
  about: ["approx", "approximately", "near"],
  within: ["tolerance", "epsilon", "delta"],
  exists: ["present"],
  length: ["len"]
} as const

type Comparison = keyof typeof table

const names = new Map<string, Comparison>(
  Object.entries(table).flatMap(([name, others]) =>
    [name, ...others].flatMap((word) => (isName(name) ? [[word, name] as const] : []))
  )
)

function isName(name: string): name is Comparison {
  return Object.hasOwn(table, name)
}

/** All names of comparisons. */
export const words: ReadonlyArray<string> = [...names.keys()]

/** Whether an expectation has a tolerance. */
export const isTolerant = (expected: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(expected).some((key) => names.get(key) === "within")

/** Whether a key names a comparison. */
export const isComparison = (key: string): boolean => names.has(key)

/** A difference between an expectation and an actual value. */
export interface Mismatch {
  readonly path: string
  readonly expected: string
  readonly actual: string
  /** The path of the expectation below `expect`, and the actual value; absent if no plain value was expected. */
  readonly observed?: { readonly keys: ReadonlyArray<string | number>; readonly value: unknown }
}

/** Formats a value on one line, at most 400 characters. */
const shown = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > 400 ? `${text.slice(0, 400)}…` : text
}

const numberOf = (value: unknown): number | undefined => {
  if (typeof value === "number") return value
  if (typeof value !== "string" || value.trim() === "") return undefined
  // LLDB formats a character as `97 'a'`.
  const number = Number(/^(-?[\d.]+) '.*'$/s.exec(value)?.[1] ?? value)
  return Number.isNaN(number) ? undefined : number
}

/** Returns a debugger's text of a value; the text without its address; the text without its quotes. */
const readings = (actual: string): ReadonlyArray<string> => {
  const [, , text] = /^(0x[\da-f]+|-?\d+) (["'].*["'])$/is.exec(actual) ?? []
  const quoted = text ?? actual
  const bare = /^"(.*)"$/s.exec(quoted)?.[1] ?? /^'(.*)'$/s.exec(quoted)?.[1]
  return [actual, quoted, ...(bare === undefined ? [] : [bare])]
}

/** Stop reasons of DAP and other debuggers, each with the reasons of sigtrap that it matches. */
const reasons: { readonly [word: string]: ReadonlyArray<string> } = {
  breakpoint: ["function-breakpoint", "instruction-breakpoint"],
  exception: ["signal", "assert", "panic", "sanitizer"],
  signal: ["assert", "panic", "sanitizer"],
  watch: ["watchpoint"],
  databreakpoint: ["watchpoint"],
  functionbreakpoint: ["breakpoint", "function-breakpoint"],
  instructionbreakpoint: ["breakpoint", "instruction-breakpoint"],
  stepover: ["step"],
  stepin: ["step"],
  stepout: ["finish"],
  step: ["finish", "until"],
  interrupt: ["pause"],
  crash: ["signal", "assert", "panic", "sanitizer"]
}

const isReason = (expected: string, actual: string): boolean =>
  reasons[expected.toLowerCase().replaceAll(/[\s_-]/g, "")]?.includes(actual) === true

/** Whether a function's name matches. The scope is optional, and parameters count only if they are expected. */
const isFunction = (expected: string, actual: string): boolean => {
  const bare = expected.includes("(") ? actual : actual.replace(/\(.*$/s, "")
  return bare === expected || bare.endsWith(`::${expected}`) || bare.endsWith(`.${expected}`)
}

const unended = (text: string): string => text.replace(/\n+$/, "")

/** Whether two values are equal. A number equals its text, a file equals a path that ends with it. */
export const same = (expected: unknown, actual: unknown, key = ""): boolean => {
  if (typeof expected === "number") return numberOf(actual) === expected
  if (typeof expected === "boolean" && typeof actual === "string") return String(expected) === actual
  if (typeof expected === "boolean" && typeof actual === "number") return Number(expected) === actual
  if (typeof expected === "string" && typeof actual === "number") return expected === String(actual)
  if (typeof expected === "string" && typeof actual === "boolean") return expected === String(actual)
  if (typeof expected === "string" && typeof actual === "string") {
    if (/^(?:file|program|path)$/.test(key) && actual.endsWith(`/${expected.replace(/^(?:\.{1,2}\/)+/, "")}`))
      return true
    if (key === "function" && isFunction(expected, actual)) return true
    if (key === "reason" && isReason(expected, actual)) return true
    return readings(actual).includes(expected) || unended(actual) === unended(expected)
  }
  // An error matches its code or a part of its message.
  if (typeof expected === "string" && Predicate.isReadonlyObject(actual) && "code" in actual) {
    return actual["code"] === expected || (expected !== "" && String(actual["message"]).includes(expected))
  }
  return JSON.stringify(expected) === JSON.stringify(actual)
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? null))

const contains = (actual: unknown, part: unknown): boolean => {
  if (Array.isArray(actual)) return actual.some((item) => same(part, item) || compare(part, item).length === 0)
  if (Predicate.isReadonlyObject(actual) && typeof part === "string" && Object.hasOwn(actual, part)) return true
  if (Predicate.isReadonlyObject(part)) return compare(part, actual).length === 0
  return textOf(actual).includes(textOf(part))
}

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

/** Returns the part of a value at a path such as `data.frames.0.line`. */
const at = (value: unknown, path: string): unknown => {
  // Names of variables may contain dots.
  if (Predicate.isReadonlyObject(value) && Object.hasOwn(value, path)) return value[path]
  let current = value
  for (const key of path.replaceAll(/\[(\d+)\]/g, ".$1").split(".")) {
    if (Array.isArray(current)) current = /^(?:count|length|size)$/.test(key) ? current.length : current[Number(key)]
    else if (Predicate.isReadonlyObject(current) && Object.hasOwn(current, key)) current = current[key]
    else return undefined
  }
  return current
}

/** Compiles a pattern, which may be written as `/pattern/i`. */
const patternOf = (written: unknown): Result.Result<Pattern.Pattern, Pattern.Invalid> => {
  const [, body, flags = ""] = /^\/(.+)\/([is]*)$/s.exec(String(written)) ?? []
  const dotAll = flags.includes("s")
  return Pattern.parse(body ?? String(written), flags.includes("i") ? (dotAll ? "ims" : "im") : dotAll ? "ms" : "m")
}

/** Whether a text matches. A pattern that is not valid was refused when the scenario was read. */
const matches = (written: unknown, actual: unknown): boolean => {
  const pattern = patternOf(written)
  return Result.isSuccess(pattern) && Pattern.findIn(pattern.success, textOf(actual))
}

const holds = (comparison: Comparison, operand: unknown, actual: unknown, tolerance: unknown): boolean => {
  const number = numberOf(actual)
  const limit = numberOf(operand)
  const compared = (test: (number: number, limit: number) => boolean) =>
    number !== undefined && limit !== undefined && test(number, limit)
  switch (comparison) {
    case "equals":
      return compare(operand, actual).length === 0
    case "not":
      return compare(operand, actual).length > 0
    case "contains":
      return list(operand).every((part) => contains(actual, part))
    case "contains_any":
      return list(operand).some((part) => contains(actual, part))
    case "excludes":
      return list(operand).every((part) => !contains(actual, part))
    case "regex":
      return list(operand).every((pattern) => matches(pattern, actual))
    case "not_regex":
      return list(operand).every((pattern) => !matches(pattern, actual))
    case "starts_with":
      return readings(textOf(actual)).some((text) => text.startsWith(textOf(operand)))
    case "ends_with":
      return readings(textOf(actual).trimEnd()).some((text) => text.endsWith(textOf(operand).trimEnd()))
    case "one_of":
      return list(operand).some((one) => compare(one, actual).length === 0)
    case "gt":
      return compared((left, right) => left > right)
    case "gte":
      return compared((left, right) => left >= right)
    case "lt":
      return compared((left, right) => left < right)
    case "lte":
      return compared((left, right) => left <= right)
    case "between": {
      const [least, most] = list(operand).map(numberOf)
      return number !== undefined && least !== undefined && most !== undefined && number >= least && number <= most
    }
    case "about":
      return compared((left, right) => Math.abs(left - right) <= (numberOf(tolerance) ?? 1e-9))
    case "within":
      return true
    case "exists":
      return (actual !== undefined) === operand
    case "length":
      return (
        compare(operand, Array.isArray(actual) || typeof actual === "string" ? actual.length : undefined).length === 0
      )
  }
}

/** Whether an expectation is a comparison of the whole actual value. */
const compares = (expected: Readonly<Record<string, unknown>>, actual: unknown): boolean => {
  const keys = Object.keys(expected)
  if (keys.length === 0 || !keys.every(isComparison)) return false
  // Variables may have the names `min` and `max`.
  return !(Predicate.isReadonlyObject(actual) && keys.every((key) => Object.hasOwn(actual, key)))
}

/** Whether all keys of an expectation are comparisons. */
export const isComparing = (expected: unknown): boolean =>
  Predicate.isReadonlyObject(expected) && compares(expected, undefined)

/**
 * Turns an expectation by comparison (`contains: { data.reason: break }`) into one by part
 * (`data.reason: { contains: break }`). `numeric` around comparisons is dropped.
 */
export const byPart = (
  expected: Readonly<Record<string, unknown>>,
  actual: unknown
): Readonly<Record<string, unknown>> => {
  const result: Record<string, unknown> = {}
  const put = (key: string, value: unknown) => {
    const before = result[key]
    result[key] =
      Predicate.isReadonlyObject(before) && Predicate.isReadonlyObject(value) ? { ...before, ...value } : value
  }
  for (const [key, value] of Object.entries(expected)) {
    const numeric = key === "numeric" && at(actual, key) === undefined
    if (!Predicate.isReadonlyObject(value)) put(numeric ? "equals" : key, value)
    else if (numeric && isComparing(value)) {
      for (const [comparison, operand] of Object.entries(value)) put(comparison, operand)
    } else if (
      (numeric || isComparison(key)) &&
      !isComparing(value) &&
      Object.keys(value).every((part) => at(actual, part) !== undefined)
    ) {
      for (const [part, operand] of Object.entries(value)) {
        put(part, numeric || isComparing(operand) ? operand : { [key]: operand })
      }
    } else put(key, value)
  }
  return result
}

/** Returns every difference between an expectation and an actual value. */
export const compare = (
  expected: unknown,
  actual: unknown,
  path = "",
  keys: ReadonlyArray<string | number> = []
): ReadonlyArray<Mismatch> => {
  const different: Mismatch = {
    path,
    expected: shown(expected),
    actual: shown(actual),
    observed: { keys, value: actual }
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) && expected.length > 0 && expected.every(isComparing)) {
      return expected.flatMap((one, index) => compare(one, actual, path, [...keys, index]))
    }
    if (!Array.isArray(actual) || actual.length !== expected.length) return [different]
    return expected.flatMap((item, index) => compare(item, actual[index], `${path}[${index}]`, [...keys, index]))
  }
  if (!Predicate.isReadonlyObject(expected)) {
    return same(expected, actual, path.split(".").at(-1)) ? [] : [different]
  }
  if (compares(expected, actual)) {
    const tolerance = Object.keys(expected).find((key) => names.get(key) === "within")
    return Object.keys(expected).flatMap((key): ReadonlyArray<Mismatch> => {
      const name = names.get(key)
      if (name === undefined || holds(name, expected[key], actual, tolerance === undefined ? 0 : expected[tolerance]))
        return []
      const observed = name === "equals" ? { observed: { keys: [...keys, key], value: actual } } : {}
      return [{ path, expected: `${key} ${shown(expected[key])}`, actual: shown(actual), ...observed }]
    })
  }
  return Object.keys(expected).flatMap((key) =>
    compare(expected[key], at(actual, key), path === "" ? key : `${path}.${key}`, [...keys, key])
  )
}

/** Fails with the first invalid regular expression of an expectation. */
export const problem = (expected: unknown): Result.Result<void, string> => {
  if (Array.isArray(expected)) {
    for (const item of expected) {
      const found = problem(item)
      if (Result.isFailure(found)) return found
    }
    return Result.succeed(undefined)
  }
  if (!Predicate.isReadonlyObject(expected)) return Result.succeed(undefined)
  for (const [key, value] of Object.entries(expected)) {
    const name = names.get(key)
    if ((name === "regex" || name === "not_regex") && list(value).every((one) => typeof one === "string")) {
      for (const pattern of list(value)) {
        const read = patternOf(pattern)
        if (Result.isFailure(read)) return Result.fail(read.failure.problem)
      }
    } else {
      const found = problem(value)
      if (Result.isFailure(found)) return found
    }
  }
  return Result.succeed(undefined)
}
