/**
 * Judges the result of a step. Compares an expectation with the main part of the answer or with the parts that it names, and
 * decides whether a failure of the command was expected.
 */
import * as Predicate from "effect/Predicate"
import * as Expectation from "./Expectation.ts"
import type * as Scenario from "./Scenario.ts"
import type { StepResult } from "./StepResult.ts"

/** The verdict on a step. */
export interface Verdict {
  /** A sentence for each problem; the step passed if there is none. */
  readonly wrong: ReadonlyArray<string>
  /** The differences from its expectation. */
  readonly mismatches: ReadonlyArray<Expectation.Mismatch>
}

/** Keys of an expectation that decide by themselves whether a failure is expected. */
const outcomeKeys = ["exit", "exit_code", "code", "ok", "success", "error", "stderr"]

/** Whether an expectation covers the exit code. A wait that times out has one, so `running` covers it too. */
const coversExit = (expect: unknown): boolean =>
  Predicate.isReadonlyObject(expect) &&
  (outcomeKeys.some((key) => Object.hasOwn(expect, key)) ||
    expect["event"] === "running" ||
    expect["state"] === "running")

/** Returns what is expected of a part. */
export const named = (expect: unknown, part: string): unknown =>
  Predicate.isReadonlyObject(expect) ? expect[part] : undefined

/** Whether a step expects nothing but success or failure. */
export const expectsOutcome = (expect: unknown): boolean =>
  expect === undefined || (Predicate.isReadonlyObject(expect) && Object.keys(expect).every((key) => key === "success"))

/** Whether a failure is expected. */
export const expectsFailure = ({ expect }: Scenario.Step): boolean => {
  const exit = named(expect, "exit") ?? named(expect, "exit_code")
  return (
    named(expect, "success") === false ||
    (typeof exit === "number" && exit !== 0) ||
    ["error", "code"].some((key) => named(expect, key) !== undefined)
  )
}

/** Whether the answer of a step is text, which must contain an expected text. */
const isText = (step: Scenario.Step): boolean =>
  step.command !== undefined || step.shell !== undefined || step.check_output !== undefined

const compareText = (expect: string, result: StepResult): ReadonlyArray<Expectation.Mismatch> => {
  const actual = typeof result.main === "string" ? result.main : ""
  if (expect === "" ? actual === "" : actual.includes(expect.trim())) return []
  return Expectation.compare(expect, result.main)
}

const hexadecimal = (value: unknown): string | undefined => {
  const text = Array.isArray(value)
    ? value.map((byte) => Number(byte).toString(16).padStart(2, "0")).join("")
    : typeof value === "string"
      ? value.replaceAll(/0x|[\s,]/gi, "").toLowerCase()
      : undefined
  return text !== undefined && /^(?:[\da-f]{2})+$/.test(text) ? text : undefined
}

const compareMemory = (expect: unknown, result: StepResult): ReadonlyArray<Expectation.Mismatch> => {
  const [expected, actual] = [hexadecimal(expect), hexadecimal(result.main)]
  return expected !== undefined && actual?.startsWith(expected) === true ? [] : Expectation.compare(expect, result.main)
}

/** Compares items in order, as many as are expected; a text is the name of an item. */
const compareItems = (expect: ReadonlyArray<unknown>, parts: ReadonlyArray<unknown>, name: string) =>
  parts.length < expect.length
    ? Expectation.compare(expect, parts)
    : expect.flatMap((item, index) =>
        Expectation.compare(
          typeof item === "string" || Expectation.isComparing(item) ? { [name]: item } : item,
          parts[index],
          `[${index}]`,
          [index]
        )
      )

/** Compares one item: comparisons with its main part, other keys with the parts that they name. */
const compareItem = (
  expected: { readonly [key: string]: unknown },
  found: unknown,
  main: string,
  at: string,
  key: number
) => {
  const entries = Object.entries(expected)
  const of = (comparing: boolean) =>
    Object.fromEntries(entries.filter(([name]) => Expectation.isComparison(name) === comparing))
  const [whole, parts] = [of(true), of(false)]
  if (whole["exists"] === false) return Expectation.compare(whole, found, at, [key])
  if (found === undefined) return Expectation.compare({ exists: true }, found, at, [key])
  return [
    ...(Object.keys(whole).length === 0 ? [] : Expectation.compare(whole, named(found, main), at, [key])),
    ...Expectation.compare(parts, found, at, [key])
  ]
}

/** Compares variables by name. */
const compareVariables = (expect: ReadonlyArray<unknown>, parts: ReadonlyArray<unknown>) =>
  expect.flatMap((item, index) => {
    const { name, ...expected } = Predicate.isReadonlyObject(item) ? item : { name: item }
    const found = parts.find((one) => named(one, "name") === name)
    return compareItem(expected, found, "value", String(name), index)
  })

/** Compares assertions, each with the item of its index or id, or with the answer if it has no items. */
const compareAssertions = (step: Scenario.Step, asserts: ReadonlyArray<unknown>, result: StepResult) => {
  const { parts } = result
  if (parts === undefined) return asserts.flatMap((item) => compareExpectation(step, item, result))
  if (step.inspect_locals !== undefined) return compareVariables(asserts, parts)
  return asserts.flatMap((item, place) => {
    if (!Predicate.isReadonlyObject(item)) return Expectation.compare(item, result.main)
    const { index, ...expected } = item
    const found =
      index === undefined && expected["id"] !== undefined
        ? parts.find((one) => Expectation.same(expected["id"], named(one, "id")))
        : parts[typeof index === "number" ? index : place]
    return compareItem(expected, found, "function", `[${String(index ?? place)}]`, place)
  })
}

/** Compares one variable by name: its value, or its parts. */
const compareVariable = (expect: unknown, name: string, result: StepResult) => {
  const found = result.parts?.find((one) => Predicate.isReadonlyObject(one) && one["name"] === name)
  const whole = Predicate.isReadonlyObject(expect) && !Array.isArray(expect) && !Expectation.isComparing(expect)
  const value = Predicate.isReadonlyObject(found) ? found["value"] : undefined
  return Expectation.compare(expect, whole ? found : value, name, [name])
}

const isSameSet = (expect: ReadonlyArray<unknown>, actual: unknown): boolean =>
  Array.isArray(actual) && [...expect].toSorted().join("\0") === [...actual].toSorted().join("\0")

/** Compares an expectation that is a list or a single value. */
const plain = (step: Scenario.Step, expect: unknown, result: StepResult): ReadonlyArray<Expectation.Mismatch> => {
  if (typeof expect === "number" && (step.command !== undefined || step.shell !== undefined)) {
    return Expectation.compare(expect, result.exit)
  }
  if (step.inspect_memory !== undefined) return compareMemory(expect, result)
  if (typeof expect === "string" && isText(step)) return compareText(expect, result)
  if (Array.isArray(expect) && !(expect.length > 0 && expect.every(Expectation.isComparing))) {
    if (step.inspect_locals !== undefined) return compareVariables(expect, result.parts ?? [])
    if (expect.length > 0 && expect.every((one) => named(one, "index") !== undefined))
      return compareAssertions(step, expect, result)
    if (step.inspect_stack !== undefined) return compareItems(expect, result.parts ?? [], "function")
    if (step.check_breakpoints !== undefined || step.inspect_threads !== undefined) {
      return (result.parts ?? []).length === expect.length
        ? compareItems(expect, result.parts ?? [], "id")
        : Expectation.compare(expect, result.parts)
    }
    if (step.diff !== undefined && isSameSet(expect, result.main)) return []
    if (isText(step) && expect.every((one) => typeof one === "string"))
      return expect.flatMap((one) => compareText(one, result))
  }
  return Expectation.compare(expect, result.main)
}

/** Returns the values for a comparison without a part; one of them must match. */
const subjects = ({ main, other, parts, text }: StepResult): ReadonlyArray<unknown> => [
  main,
  ...(other === undefined ? [] : [other]),
  ...(typeof main === "number" && parts !== undefined ? [parts, text] : [])
]

/** Compares an expectation that names parts; comparisons beside them apply to the whole answer. */
const compareParts = (step: Scenario.Step, written: { readonly [key: string]: unknown }, result: StepResult) => {
  const expect = step.inspect_locals === undefined ? Expectation.byPart(written, result.value) : written
  const variables = new Set(
    (result.parts ?? []).map((one) => (Predicate.isReadonlyObject(one) ? one["name"] : undefined))
  )
  const isVariable = (key: string) => step.inspect_locals !== undefined && variables.has(key)
  const keys = Object.keys(expect)
  const comparing = keys.filter((key) => Expectation.isComparison(key) && !isVariable(key))
  const comparison = Object.fromEntries(comparing.map((key) => [key, expect[key]]))
  const ofMain = comparing.length === 0 ? [] : Expectation.compare(comparison, result.main)
  const whole = subjects(result).some((one) => Expectation.compare(comparison, one).length === 0) ? [] : ofMain
  const value = Predicate.isReadonlyObject(result.value) ? result.value : {}
  const parts = keys
    .filter((key) => !comparing.includes(key))
    .flatMap((key) => {
      if (isVariable(key) || (step.inspect_locals !== undefined && !((key.split(".")[0] ?? key) in value))) {
        return compareVariable(expect[key], key, result)
      }
      const expected = expect[key]
      if (key === "frames" && Array.isArray(expected)) return compareItems(expected, result.parts ?? [], "function")
      if (key === "hex" || key === "bytes")
        return step.inspect_memory === undefined
          ? Expectation.compare({ [key]: expected }, value)
          : compareMemory(expected, result)
      return Expectation.compare({ [key]: expected }, value)
    })
  return [...whole, ...parts]
}

const compareExpectation = (
  step: Scenario.Step,
  expect: unknown,
  result: StepResult
): ReadonlyArray<Expectation.Mismatch> =>
  Predicate.isReadonlyObject(expect) ? compareParts(step, { ...expect }, result) : plain(step, expect, result)

/** Judges the result of a step that took `ms` milliseconds. */
export const judge = (step: Scenario.Step, result: StepResult, ms: number): Verdict => {
  const { expect } = step
  const failed = result.exit !== 0 && !coversExit(expect) && !(typeof expect === "number")
  const mismatches = failed
    ? []
    : [
        ...(expect === undefined ? [] : compareExpectation(step, expect, result)),
        ...(step.asserts === undefined ? [] : compareAssertions(step, step.asserts, result))
      ]
  const wrong = [
    ...(failed ? [`it failed with exit code ${result.exit}`] : []),
    ...mismatches.map(
      ({ actual, expected, path }) => `${path === "" ? "the answer" : path}: expected ${expected}, got ${actual}`
    ),
    ...(step.budget_bytes !== undefined && result.bytes > step.budget_bytes
      ? [`${result.bytes} bytes, more than ${step.budget_bytes}`]
      : []),
    ...(step.max_ms !== undefined && ms > step.max_ms ? [`${Math.round(ms)} ms, longer than ${step.max_ms}`] : [])
  ]
  return { wrong, mismatches }
}
