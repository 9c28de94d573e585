/**
 * What a step of a scenario expects, compared with what came.
 *
 * A plain value is compared exactly; numbers also with the text of a value, since debuggers answer in text. An object whose
 * keys are all comparisons is a comparison; any other object names parts by path. Knows nothing of debuggers.
 */
import { Predicate, Result } from "effect"

/** The comparisons there are. */
export const comparisons = [
  "equals",
  "not",
  "contains",
  "excludes",
  "regex",
  "gt",
  "gte",
  "lt",
  "lte",
  "about",
  "within",
  "exists",
  "length"
] as const

type Comparison = (typeof comparisons)[number]

const isComparison = (key: string): key is Comparison => comparisons.some((name) => name === key)

/** Something that is not as it was expected to be. */
export interface Mismatch {
  readonly path: string
  readonly expected: string
  readonly actual: string
}

/** A value on one line, at a length that leaves room for the rest. */
const shown = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > 400 ? `${text.slice(0, 400)}…` : text
}

const numberOf = (value: unknown): number | undefined => {
  if (typeof value === "number") return value
  if (typeof value !== "string" || value.trim() === "") return undefined
  const number = Number(value)
  return Number.isNaN(number) ? undefined : number
}

/** Whether two values are the same, a number also when one of them is its text. */
const same = (expected: unknown, actual: unknown): boolean => {
  if (typeof expected === "number") return numberOf(actual) === expected
  if (typeof expected === "boolean" && typeof actual === "string") return String(expected) === actual
  return JSON.stringify(expected) === JSON.stringify(actual)
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? null))

const contains = (actual: unknown, part: unknown): boolean =>
  Array.isArray(actual) ? actual.some((item) => same(part, item)) : textOf(actual).includes(textOf(part))

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

/** The part of a value under a path such as `data.frames.0.line`. */
const at = (value: unknown, path: string): unknown => {
  // A whole name first: names of variables have dots in them, too.
  if (Predicate.isReadonlyObject(value) && Object.hasOwn(value, path)) return value[path]
  let current = value
  for (const key of path.replaceAll(/\[(\d+)\]/g, ".$1").split(".")) {
    if (Array.isArray(current)) current = current[Number(key)]
    else if (Predicate.isReadonlyObject(current) && Object.hasOwn(current, key)) current = current[key]
    else return undefined
  }
  return current
}

const holds = (comparison: Comparison, wanted: unknown, actual: unknown, all: Readonly<Record<string, unknown>>) => {
  const number = numberOf(actual)
  const limit = numberOf(wanted)
  const compared = (test: (number: number, limit: number) => boolean) =>
    number !== undefined && limit !== undefined && test(number, limit)
  switch (comparison) {
    case "equals":
      return same(wanted, actual)
    case "not":
      return !same(wanted, actual)
    case "contains":
      return list(wanted).every((part) => contains(actual, part))
    case "excludes":
      return list(wanted).every((part) => !contains(actual, part))
    case "regex":
      return list(wanted).every((pattern) => new RegExp(String(pattern), "mu").test(textOf(actual)))
    case "gt":
      return compared((left, right) => left > right)
    case "gte":
      return compared((left, right) => left >= right)
    case "lt":
      return compared((left, right) => left < right)
    case "lte":
      return compared((left, right) => left <= right)
    case "about":
      return compared((left, right) => Math.abs(left - right) <= (numberOf(all["within"]) ?? 1e-9))
    case "within":
      return true
    case "exists":
      return (actual !== undefined) === wanted
    case "length":
      return same(wanted, Array.isArray(actual) || typeof actual === "string" ? actual.length : undefined)
  }
}

/** Compares; answers with everything that is wrong. */
export const compare = (expected: unknown, actual: unknown, path = ""): ReadonlyArray<Mismatch> => {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return [{ path, expected: shown(expected), actual: shown(actual) }]
    }
    return expected.flatMap((item, index) => compare(item, actual[index], `${path}[${index}]`))
  }
  if (!Predicate.isReadonlyObject(expected)) {
    return same(expected, actual) ? [] : [{ path, expected: shown(expected), actual: shown(actual) }]
  }
  const keys = Object.keys(expected)
  if (keys.length > 0 && keys.every(isComparison)) {
    return keys
      .filter(isComparison)
      .filter((key) => !holds(key, expected[key], actual, expected))
      .map((key) => ({ path, expected: `${key} ${shown(expected[key])}`, actual: shown(actual) }))
  }
  return keys.flatMap((key) => compare(expected[key], at(actual, key), path === "" ? key : `${path}.${key}`))
}

/** What is wrong with an expectation itself: a pattern that is none. */
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
    if (key === "regex") {
      for (const pattern of list(value)) {
        const read = Result.try(() => new RegExp(String(pattern), "mu"))
        if (Result.isFailure(read)) return Result.fail(`${shown(pattern)} is no regular expression`)
      }
    } else {
      const found = problem(value)
      if (Result.isFailure(found)) return found
    }
  }
  return Result.succeed(undefined)
}
